// One connection of one client: what it saw, as JSON on standard output.
//   node exchange.mjs v1|v2 MODE http URL
//   node exchange.mjs v1|v2 MODE stdio COMMAND [ARGUMENT…]
// With TOOLHOST_MEET set it says "connected" and goes on when it reads a line.
// MODE of v2: legacy, auto, or a revision that is pinned.  v1 has only one.
import { load } from './packages.mjs';

const [generation, mode, carrier, target, ...rest] = process.argv.slice(2);

const generations = {
  v1: () => ({
    ...load('@modelcontextprotocol/sdk/client/index.js'),
    ...load('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    ...load('@modelcontextprotocol/sdk/client/stdio.js'),
  }),
  v2: () => ({ ...load('@modelcontextprotocol/client'), ...load('@modelcontextprotocol/client/stdio') }),
};
const { Client, StreamableHTTPClientTransport, StdioClientTransport } = generations[generation]();

const options = mode === 'legacy' ? {} : { versionNegotiation: { mode: mode === 'auto' ? 'auto' : { pin: mode } } };
const client = new Client({ name: `toolhost-test-${generation}`, version: '1.0' }, options);
const transport = carrier === 'http'
  ? new StreamableHTTPClientTransport(new URL(target))
  : new StdioClientTransport({ command: target, args: rest, stderr: 'ignore' });

// The clients of v1 tell the revision to their transport alone.
let negotiated = null;
const told = transport.setProtocolVersion?.bind(transport);
transport.setProtocolVersion = (version) => {
  negotiated = version;
  told?.(version);
};

async function errorOf(promise) {
  try {
    const result = await promise;
    return { isError: Boolean(result.isError), text: result.content?.[0]?.text };
  } catch (error) {
    return { code: error.code, message: error.message };
  }
}

await client.connect(transport);
if (process.env.TOOLHOST_MEET) {
  console.log('connected');
  await new Promise((resolve) => { process.stdin.once('data', resolve); });
}
const seen = {
  version: client.getNegotiatedProtocolVersion?.() ?? negotiated,
  server: client.getServerVersion(),
  tools: (await client.listTools()).tools.map((tool) => tool.name),
};
seen.text = (await client.callTool({ name: 'echo', arguments: { text: 'grüß dich' } })).content[0].text;
seen.wrong = await errorOf(client.callTool({ name: 'echo', arguments: { text: 5 } }));
seen.unknown = await errorOf(client.callTool({ name: 'no_such_tool', arguments: {} }));
seen.parallel = await Promise.all([...Array(20).keys()].map(async (i) =>
  (await client.callTool({ name: 'echo', arguments: { text: `n${i}` } })).content[0].text));
await client.close();
console.log(JSON.stringify(seen));
process.exit(0);
