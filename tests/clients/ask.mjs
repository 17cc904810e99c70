// One client whose person is asked: what it was asked and what the tool then said, as JSON on standard output.
//   node ask.mjs v1|v2 MODE URL NAME
// MODE as in exchange.mjs; the person answers every form with NAME.
import { load } from './packages.mjs';

const [generation, mode, url, name] = process.argv.slice(2);

const generations = {
  v1: () => ({
    ...load('@modelcontextprotocol/sdk/client/index.js'),
    ...load('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    asks: load('@modelcontextprotocol/sdk/types.js').ElicitRequestSchema,
  }),
  v2: () => ({ ...load('@modelcontextprotocol/client'), asks: 'elicitation/create' }),
};
const { Client, StreamableHTTPClientTransport, asks } = generations[generation]();

const client = new Client({ name: `toolhost-test-${generation}`, version: '1.0' }, {
  capabilities: { elicitation: { form: {} } },
  ...(mode === 'legacy' ? {} : { versionNegotiation: { mode: { pin: mode } } }),
});
const asked = [];
client.setRequestHandler(asks, (request) => {
  asked.push(request.params.message);
  return { action: 'accept', content: { name } };
});

await client.connect(new StreamableHTTPClientTransport(new URL(url)));
const result = await client.callTool({ name: 'greet', arguments: { who: name } });
await client.close();
console.log(JSON.stringify({ asked, text: result.content[0].text }));
process.exit(0);
