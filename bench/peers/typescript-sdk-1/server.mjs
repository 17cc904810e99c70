// echo on version 1 of the official TypeScript SDK: no sessions, answers as JSON.  The SDK wants a server and a
// transport for each request then.
//
//   node server.mjs PORT|stdio
import { createServer } from 'node:http';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { z } from 'zod';

const inputSchema = { text: z.string() };

function echoServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Return the text you send, unchanged.', inputSchema },
    async ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}

async function answer(request, response) {
  const server = echoServer();
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined, enableJsonResponse: true });
  response.on('close', () => {
    transport.close();
    server.close();
  });
  await server.connect(transport);
  await transport.handleRequest(request, response);
}

if (process.argv[2] === 'stdio') await echoServer().connect(new StdioServerTransport());
else createServer(answer).listen(Number(process.argv[2]), '127.0.0.1');
