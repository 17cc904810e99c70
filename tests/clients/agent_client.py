"""An agent of another author's framework with our tools over MCP, and a model that says what it is told to.

    agent_client.py framework|openai URL CALL HOW ANSWER

CALL is { "name", "arguments" }, the one call that the model makes before it says "Done.".  HOW is who is asked whether
it may run: "nobody", "agent" (the framework's own approval), or "elicit" (ours, by an elicitation that the application
answers).  ANSWER is "yes" or "no".  JSON on standard output: what was asked, the names of the tools, what the model was
told of its call, and what it said last."""

import asyncio
import json
import sys

PATIENCE = 60


async def framework(url, call, how, answer):
    from agent_framework import (Agent, BaseChatClient, ChatResponse, Content, FunctionInvocationLayer,
                                 MCPStreamableHTTPTool, Message)
    from mcp import Client
    from mcp.types import ElicitResult

    asked = []

    class Scripted(FunctionInvocationLayer, BaseChatClient):
        """It calls once, and is content with whatever comes."""

        async def said(self, messages, tools):
            seen["tools"] = sorted(tool.name for tool in tools)
            results = [c for m in messages for c in m.contents if c.type == "function_result"]
            seen["results"] = [[c.call_id, str(c.result)] for c in results]
            if results:
                return ChatResponse(messages=[Message("assistant", ["Done."])], response_id="r2")
            wanted = Content.from_function_call(call_id="c1", name=call["name"],
                                                arguments=json.dumps(call["arguments"]))
            return ChatResponse(messages=[Message("assistant", [wanted])], response_id="r1")

        def _inner_get_response(self, *, messages, stream, options, **_):
            return self.said(messages, options.get("tools") or [])

    async def elicited(context, params):
        asked.append([params.message, params.requested_schema])
        return ElicitResult(action="accept", content={"approve": answer == "yes"})

    async def run(**connection):
        tools = MCPStreamableHTTPTool("toolhost", load_prompts=False,
                                      approval_mode="always_require" if how == "agent" else "never_require", **connection)
        async with Agent(client=Scripted(), name="assistant", tools=tools) as agent:
            session = agent.create_session()
            response = await agent.run("Go on.", session=session)
            while response.user_input_requests:
                asked.extend([r.function_call.name, json.loads(r.function_call.arguments)]
                             for r in response.user_input_requests)
                decided = [r.to_function_approval_response(answer == "yes") for r in response.user_input_requests]
                response = await agent.run(Message("user", decided), session=session)
            return response.text

    seen = {}
    if how != "elicit":
        text = await run(url=url, request_timeout=PATIENCE)
    else:
        async with Client(url, elicitation_callback=elicited) as client:
            text = await run(mcp_client=client)
    return {"asked": asked, **seen, "text": text}


async def openai(url, call, how, answer):
    from agents import Agent, Model, ModelResponse, Runner, Usage, set_tracing_disabled
    from agents.mcp import MCPServerStreamableHttp
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    set_tracing_disabled(True)
    asked, seen = [], {}

    class Scripted(Model):
        async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):
            seen["tools"] = sorted(tool.name for tool in tools)
            items = input if isinstance(input, list) else []
            results = [i for i in items if i.get("type") == "function_call_output"]
            seen["results"] = [[i["call_id"], str(i["output"])] for i in results]
            if results:
                said = ResponseOutputMessage(id="m1", role="assistant", status="completed", type="message", content=[
                    ResponseOutputText(text="Done.", type="output_text", annotations=[])])
            else:
                said = ResponseFunctionToolCall(call_id="c1", name=call["name"], type="function_call",
                                                arguments=json.dumps(call["arguments"]))
            return ModelResponse(output=[said], usage=Usage(), response_id=None)

        def stream_response(self, *_, **__):
            raise NotImplementedError

    if how == "elicit":
        raise SystemExit("openai-agents has no handler of elicitations")
    server = MCPServerStreamableHttp({"url": url, "timeout": PATIENCE}, client_session_timeout_seconds=PATIENCE,
                                     require_approval="always" if how == "agent" else "never")
    async with server:
        agent = Agent(name="assistant", model=Scripted(), mcp_servers=[server])
        result = await Runner.run(agent, "Go on.")
        while result.interruptions:
            state = result.to_state()
            for item in result.interruptions:
                asked.append([item.name, json.loads(item.arguments)])
                (state.approve if answer == "yes" else state.reject)(item)
            result = await Runner.run(agent, state)
        return {"asked": asked, **seen, "text": result.final_output}


async def main(kind, url, call, how, answer):
    what = {"framework": framework, "openai": openai}[kind]
    print(json.dumps(await asyncio.wait_for(what(url, json.loads(call), how, answer), PATIENCE)))


asyncio.run(main(*sys.argv[1:]))
