import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Notifications, openNotifications } from '../../../src/store/postgres/notifications.ts'
import { type Database, findPostgres } from '../../support/postgres.ts'
import { until } from '../../support/redis-server.ts'

const server = await findPostgres()

describe.skipIf(server === null)('notifications of PostgreSQL', () => {
  let database: Database
  const open: Notifications[] = []

  beforeAll(async () => {
    if (server !== null) database = await server.createDatabase()
  })
  afterEach(() => {
    for (const notifications of open.splice(0)) void notifications.close()
  })
  afterAll(() => database?.drop())

  async function listen(channel: string, url = database.url) {
    const texts: string[] = []
    const states: string[] = []
    let connected = 0
    const notifications = openNotifications({
      url,
      channel,
      onText: (text) => texts.push(text),
      onConnected: () => (connected += 1),
      onState: (state) => states.push(state),
    })
    open.push(notifications)
    await until(() => states.length > 0)
    return { ...notifications, texts, states, connected: () => connected }
  }

  it('reach every listener of their channel, and no other', async () => {
    const [first, second, other] = [await listen('one'), await listen('one'), await listen('Other "one"')]
    first.send('7')
    other.send('8')
    await until(() => second.texts.length > 0 && other.texts.length > 0)
    expect([second.texts, other.texts]).toEqual([['7'], ['8']])
  })

  it('are sent one at a time: of those that come meanwhile only the last', async () => {
    const [sender, receiver] = [await listen('many'), await listen('many')]
    for (let count = 0; count < 1_000; count += 1) sender.send(`${count}`)
    await until(() => receiver.texts.includes('999'))
    expect(receiver.texts).toEqual(['0', '999'])
  })

  it('are sent when the connection is back that was cut', async () => {
    const [sender, receiver] = [await listen('cut'), await listen('cut')]
    await database.run(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN "cut"'`)
    await until(() => sender.states.length >= 2)
    sender.send('1')
    await until(() => receiver.states.length >= 3 && sender.states.length >= 3)
    sender.send('2')
    await until(() => receiver.texts.includes('2'))
    expect(sender.states).toEqual(['listening', 'lost', 'listening'])
    expect(receiver.connected()).toBe(2)
  })

  it('are all sent before they end', async () => {
    const [sender, receiver] = [await listen('last'), await listen('last')]
    for (const text of ['1', '2', '3']) sender.send(text)
    await sender.close()
    await until(() => receiver.texts.includes('3'))
    expect(receiver.texts).toEqual(['1', '3'])
  })

  it('end with their connection, and without another attempt', async () => {
    const notifications = await listen('closed')
    await notifications.close()
    const listeners = `SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN "closed"'`
    await expect.poll(() => database.run(listeners)).toEqual([])
    expect(notifications.states).toEqual(['listening'])
  })
})
