import { expect, it } from 'vitest'
import { createOperations } from '../../../src/http/websocket/socket-operations.ts'

const INIT = JSON.stringify({ type: 'connection_init' })
const subscribe = (id: string) => JSON.stringify({ id, type: 'subscribe', payload: { query: '{ a }' } })

/** Operations of a greeted socket whose peer reads nothing: what the library does for one never ends. */
async function setUp() {
  const begun: string[] = []
  const released: string[] = []
  const operations = createOperations({
    listener: (text) => {
      begun.push(text)
      return text === INIT ? Promise.resolve() : new Promise(() => {})
    },
    limit: 20,
    mayBegin: () => true,
    enter: (text, signal) =>
      text.includes('refused')
        ? Promise.resolve(null)
        : new Promise((resolve) => {
            if (text.includes('waits')) signal.addEventListener('abort', () => resolve(null))
            else resolve(() => released.push(text))
          }),
    close: () => expect.unreachable(),
  })
  await operations.handle(INIT)
  return { operations, begun, released }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

it('counts an operation as ended when its answer is made, though its peer does not read it', async () => {
  const { operations, begun, released } = await setUp()
  void operations.handle(subscribe('1'))
  await turn()
  expect([begun, released]).toEqual([[INIT, subscribe('1')], []])
  operations.answered('1')
  expect(released).toEqual([subscribe('1')])
})

it('knows which operation was refused, until it has been told so', async () => {
  const { operations } = await setUp()
  void operations.handle(subscribe('refused'))
  void operations.handle(subscribe('other'))
  await turn()
  expect([operations.isRefused('refused'), operations.isRefused('other')]).toEqual([true, false])
})

it('begins nothing that waited when the socket closed', async () => {
  const { operations, begun } = await setUp()
  const handled = operations.handle(subscribe('waits'))
  operations.close()
  await handled
  expect(begun).toEqual([INIT])
})
