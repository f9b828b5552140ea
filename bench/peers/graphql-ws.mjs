/** graphql-ws with its stock `useServer`: each subscription executes for itself what is published to its topic. */
import { EventEmitter, on } from 'node:events'
import { useServer } from 'graphql-ws/use/ws'
import { WebSocketServer } from 'ws'
import { createEventServer } from './events.mjs'
import { buildSchema } from './schema.mjs'

const emitter = new EventEmitter().setMaxListeners(0)
const server = createEventServer((topic, text) => emitter.emit(topic, { ...JSON.parse(text) }))
const follow = { subscribe: (_source, { id }) => itemsOf(id), resolve: (item) => item }
const schema = buildSchema({ Subscription: { paymentLinkUpdates: follow, paymentUpdates: follow } })
useServer({ schema }, new WebSocketServer({ server }))
server.listen(Number(process.env.PORT), '127.0.0.1', 4_096)

async function* itemsOf(topic) {
  const events = on(emitter, topic)
  yield { kind: 'CAUGHT_UP', cursor: 'none' }
  for await (const [item] of events) yield item
}
