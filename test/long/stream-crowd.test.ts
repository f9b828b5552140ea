import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { issueDevelopmentToken } from '../../src/access/issue-token.ts'
import { Secret } from '../../src/keys/key-ring.ts'
import { startApp } from '../faults/killable-app.ts'
import { SECRETS } from '../support/network.ts'
import { temporaryFolder } from '../support/process.ts'
import { openSocket, type RawSocket } from '../support/socket.ts'
import { deliver, paymentBody } from '../support/webhooks.ts'

const SOCKETS = 100
const STREAMS = 20
const ALL = SOCKETS * STREAMS
/** Number of clients that request the health probe repeatedly while the streams are served. */
const PROBES = 4
const SETTINGS = { SOCKET_LIMITS: 'operationsPerSecond=1000,messagesPerSecond=1000' }
const STREAM = `subscription {
  paymentEventStream { kind cursor event { id kind toStatus } payment { id status phase amount { value currency } } }
}`

// promise(sockets): An event for thousands of streams is sent in time slices, between which webhooks are answered.
it('answers probes and webhooks while one event is told to two thousand streams', async () => {
  const app = await startApp({ path: join(temporaryFolder(), 'payments.db'), env: SETTINGS })
  onTestFinished(async () => void (await app.kill()))
  const token = await issueDevelopmentToken(new Secret(SECRETS.jwt), {
    scopes: ['payments:read'],
    subject: 'shop',
    ttlSeconds: 3_600,
  })
  const sockets: RawSocket[] = []
  for (let index = 0; index < SOCKETS; index += 1) sockets.push(await crowdedSocket(app.url, token))

  let told = 0
  const telling = Promise.all(
    sockets.map(async (socket) => {
      for (let count = 0; count < STREAMS; count += 1) {
        await socket.next()
        told += 1
      }
    }),
  )
  let meanwhile = 0
  const probe = async () => {
    while (told < ALL) {
      const answer = await fetch(`${app.url}/health/live`)
      await answer.text()
      expect(answer.status).toBe(200)
      if (told > 0 && told < ALL) meanwhile += 1
    }
  }
  const probing = Promise.all(Array.from({ length: PROBES }, probe))
  const { status } = await deliver(`${app.url}/webhooks/payments`, paymentBody())
  expect(status).toBe(200)
  await Promise.all([telling, probing])
  expect(meanwhile).toBeGreaterThan(0)
  for (const socket of sockets) socket.close()
})

/** Opens a socket whose streams have caught up. */
async function crowdedSocket(url: string, token: string): Promise<RawSocket> {
  const socket = await openSocket(url)
  socket.send({ type: 'connection_init', payload: { token } })
  await socket.next()
  for (let id = 0; id < STREAMS; id += 1) socket.send({ id: String(id), type: 'subscribe', payload: { query: STREAM } })
  for (let id = 0; id < STREAMS; id += 1) await socket.next()
  return socket
}
