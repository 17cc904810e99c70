dist_doc_DATA += %D%/actions.md %D%/api.md %D%/architecture.md %D%/auth.md %D%/decisions.md %D%/dependencies.md \
	%D%/http.md %D%/json.md %D%/openapi-tools.md %D%/promises.md %D%/realtime.md %D%/schema.md %D%/seeds.md %D%/sessions.md %D%/skills.md %D%/tenants.md
dist_doc_DATA += %D%/ag-ui.md %D%/durable.md
dist_doc_DATA += %D%/approvals.md %D%/audit.md %D%/store.md
dist_doc_DATA += %D%/tools.md
dist_doc_DATA += %D%/observability.md %D%/performance.md
dist_doc_DATA += %D%/guards.md
dist_doc_DATA += %D%/functions.md
dist_doc_DATA += %D%/agents.md %D%/upstream.md
dist_doc_DATA += %D%/operations.md
