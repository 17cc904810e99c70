// What AG-UI's own client makes of POST /v1/agui, as JSON on standard output.
//   node agui.mjs stream URL < events    its parser, its chunk expansion and its verifier over a stream
//   node agui.mjs agent URL MESSAGES     an HttpAgent with these messages; it resumes what it can
import { readFileSync } from 'node:fs';

import { load } from './packages.mjs';

const [what, url, text] = process.argv.slice(2);
const { HttpAgent, runHttpRequest, transformChunks, transformHttpEventStream, verifyEvents } =
  load('@ag-ui/client');
const { EventSchemas } = load('@ag-ui/core/schemas');

function gather(observable) {
  const seen = { types: [], events: [], error: null };
  return new Promise((resolve) => observable.subscribe({
    next: (event) => { seen.types.push(event.type); seen.events.push(EventSchemas.parse(event)); },
    error: (error) => resolve({ ...seen, error: error.message }),
    complete: () => resolve(seen),
  }));
}

async function stream() {
  const request = () => fetch(url, {
    method: 'POST', body: readFileSync(0), headers: { 'content-type': 'text/event-stream', accept: 'text/event-stream' },
  });
  return gather(transformHttpEventStream(runHttpRequest(request)).pipe(transformChunks(), verifyEvents()));
}

async function agent() {
  const client = new HttpAgent({ url, threadId: 'thread-of-agent', initialMessages: JSON.parse(text) });
  const statuses = [];
  const watch = { onCustomEvent: ({ event }) => { statuses.push(event.value.status); } };
  const runs = [await client.runAgent({ runId: 'first' }, watch)];
  const asked = client.pendingInterrupts ?? [];
  if (asked.length) {
    const resume = asked.map(({ id }) => ({ interruptId: id, status: 'resolved', payload: { name: 'Ada' } }));
    runs.push(await client.runAgent({ runId: 'second', resume }, watch));
  }
  return { statuses, asked, messages: client.messages };
}

console.log(JSON.stringify(await (what === 'stream' ? stream() : agent())));
