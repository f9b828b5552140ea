import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { installPacked } from './packed.ts'

const PROGRAM = `import { once } from 'node:events'
import { createServer } from 'node:http'
import { createLibrarySocketServer, createSocketServer } from 'graphql-sockets'
import { createClient } from 'graphql-ws'
import { WebSocket } from 'ws'
const handlers = {
  greet: async () => true,
  run: async (_session, { query }, { admit }) => admit('query') ?? { kind: 'answer', json: JSON.stringify({ data: { query } }) },
  closingAtEnd: () => null,
  closed() {},
}
const limits = {
  initMs: 1_000, keepAliveMs: 1_000, bufferedBytes: 1_000, bufferedMs: 1_000,
  streams: 1, operationsPerSecond: 1, messagesPerSecond: 10, bytesPerSecond: 1_000,
}
for (const create of [createSocketServer, createLibrarySocketServer]) {
  const timer = { periodMs: 1_000, add() {}, delete() {} }
  const sockets = create({ handlers, timer, logger: console, messageBytes: 1_000 })
  const server = createServer().listen(0)
  await once(server, 'listening')
  server.on('upgrade', (request, socket, head) => sockets.upgrade(request, socket, head, { limits, sessionFor: () => null }))
  const client = createClient({ url: 'ws://127.0.0.1:' + server.address().port, webSocketImpl: WebSocket })
  for await (const { data } of client.iterate({ query: '{ greeting }' })) console.log(data.query)
  await client.dispose()
  await sockets.close()
  server.close()
}
`

it('serves a client in an empty folder, by itself and by graphql-ws', async () => {
  const folder = await installPacked(resolve('packages/graphql-sockets'))
  writeFileSync(join(folder, 'program.js'), PROGRAM)
  const { stdout } = await promisify(execFile)(process.execPath, ['program.js'], { cwd: folder, env: {} })
  expect(stdout).toBe('{ greeting }\n'.repeat(2))
})
