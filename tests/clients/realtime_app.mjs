// An application that holds its own conversation with the Realtime service, by OpenAI's client, and has toolhost run
// the tools: it forwards what comes from the one to the other.  What is for itself it prints, an object a line.
//   node realtime_app.mjs SERVICE_URL KEY TOOLHOST_ADDRESS
import { load } from './packages.mjs';

const { OpenAI } = load('openai');
const { OpenAIRealtimeWS } = load('openai/realtime/ws');
const { WebSocket } = load('ws');

const [service, key, toolhost] = process.argv.slice(2);
const tell = (event) => console.log(JSON.stringify(event));

const client = new OpenAI({ apiKey: key, baseURL: service });
const realtime = new OpenAIRealtimeWS({ model: 'gpt-realtime' }, client);
realtime.on('error', (error) => tell({ type: 'app.error', message: String(error.message ?? error) }));
realtime.socket.on('close', () => process.exit(0));
realtime.socket.on('open', () => {
  const tools = new WebSocket(`ws://${toolhost}/v1/session?format=realtime`);
  realtime.on('event', (event) => tools.send(JSON.stringify(event)));
  tools.on('message', (text) => {
    const event = JSON.parse(text);
    if (event.type.startsWith('toolhost.')) tell(event);
    else realtime.send(event);
  });
  tools.on('close', (code) => {
    tell({ type: 'app.closed', code });
    realtime.close();
  });
});
