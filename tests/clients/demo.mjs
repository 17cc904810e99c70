// What ./dev run shows: the official MCP client lists the tools and calls some.
//   node demo.mjs URL CALLS-FILE          (a line of the file: NAME JSON-ARGUMENTS)
import { readFileSync } from 'node:fs';
import { load } from './packages.mjs';

const { Client, StreamableHTTPClientTransport } = load('@modelcontextprotocol/client');
const [url, callsFile] = process.argv.slice(2);

function show(result) {
  for (const part of result.content)
    for (const line of (part.type === 'text' ? part.text : JSON.stringify(part)).split('\n'))
      console.log(`    ${line}`);
}

// The first sentence, or what of it fits a line.
function brief(text = '') {
  const sentence = text.split('. ')[0];
  return sentence.length <= 84 ? sentence : `${sentence.slice(0, 84).replace(/\s+\S*$/, '')} …`;
}

const client = new Client({ name: 'toolhost-demo', version: '1.0' }, { versionNegotiation: { mode: 'auto' } });
await client.connect(new StreamableHTTPClientTransport(new URL(url)));
console.log(`The official MCP client (@modelcontextprotocol/client) speaks ${client.getNegotiatedProtocolVersion()}.\n`);

const { tools } = await client.listTools();
const width = Math.max(...tools.map((tool) => tool.name.length));
for (const tool of tools) console.log(`  ${tool.name.padEnd(width)}  ${brief(tool.description)}`);

let failed = false;
for (const line of readFileSync(callsFile, 'utf8').split('\n').filter(Boolean)) {
  const space = line.indexOf(' ');
  const name = line.slice(0, space);
  console.log(`\n  ${line}`);
  const result = await client.callTool({ name, arguments: JSON.parse(line.slice(space)) });
  show(result);
  failed ||= Boolean(result.isError);
}
await client.close();
process.exit(failed ? 1 : 0);
