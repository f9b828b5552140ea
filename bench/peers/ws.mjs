/** The server of ws alone: sends a text to every socket of a topic, as the broadcast of its documentation does. */
import { WebSocketServer } from 'ws'
import { createEventServer } from './events.mjs'

const topics = new Map()
const server = createEventServer((topic, text) => {
  for (const socket of topics.get(topic) ?? []) socket.send(text, { binary: false })
})
new WebSocketServer({ server }).on('connection', (socket, request) => {
  const topic = new URL(request.url, 'http://127.0.0.1').searchParams.get('topic')
  if (!topics.has(topic)) topics.set(topic, new Set())
  topics.get(topic).add(socket)
  socket.on('close', () => topics.get(topic).delete(socket))
})
server.listen(Number(process.env.PORT), '127.0.0.1', 4_096)
