// echo on version 2 of the official TypeScript SDK: the handler it has for 2026-07-28, answers as JSON.
//
//   node server.mjs PORT|stdio
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const inputSchema = z.object({ text: z.string() });

function echoServer() {
  const server = new McpServer({ name: 'echo', version: '1.0.0' });
  server.registerTool('echo', { description: 'Return the text you send, unchanged.', inputSchema },
    async ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}

if (process.argv[2] === 'stdio') {
  serveStdio(echoServer);
} else {
  const handler = toNodeHandler(createMcpHandler(echoServer, { responseMode: 'json' }));
  createServer(handler).listen(Number(process.argv[2]), '127.0.0.1');
}
