import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../src/keys/key-ring.ts'
import { createLogger } from '../../src/observability/logger.ts'
import { openRedis, type RedisConnection } from '../../src/redis/redis-connection.ts'
import { canMakeRedis, createRedisServer, type RedisServer, until } from '../support/redis-server.ts'

const PASSWORD = 'redis-password-of-the-tests'

describe.skipIf(!canMakeRedis())('the connection to Redis', () => {
  let server: RedisServer
  let lines: string[]
  let redis: RedisConnection

  beforeAll(async () => void (server = await createRedisServer()))
  afterEach(() => redis.close())
  afterAll(() => server.remove())

  function open(config = server.config): RedisConnection {
    lines = []
    const destination = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    redis = openRedis(config, { logger: createLogger({ level: 'info', destination }) })
    return redis
  }
  const messages = () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg)

  it('runs commands once it is connected, and rejects them at once before that', async () => {
    open()
    await expect(redis.run((commands) => commands.ping())).rejects.toMatchObject({ name: 'RedisFailure', code: 'DOWN' })
    await until(() => redis.isConnected)
    expect(await redis.run((commands) => commands.set('a', 'b', 'PX', 1_000, 'NX'))).toBe('OK')
    expect(lines).toEqual([])
  })

  it('tells an error of the server by its code, without what was sent', async () => {
    open()
    await until(() => redis.isConnected)
    await redis.run((commands) => commands.set('text', 'secret-value'))
    const failure = await redis
      .run((commands) => commands.hget('text', 'secret-field'))
      .catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'RedisFailure', code: 'WRONGTYPE' })
    expect(`${String(failure)} ${JSON.stringify(failure)}`).not.toContain('secret')
    expect(redis.isConnected).toBe(true)
  })

  it('rejects what a server that hangs does not answer, what comes then at once, and is used again when it goes on', async () => {
    open()
    await until(() => redis.isConnected)
    server.pause()
    const waiting = redis.run((commands) => commands.ping())
    await expect(waiting).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    await expect(redis.run(() => Promise.reject(new Error('is not called')))).rejects.toMatchObject({ code: 'DOWN' })
    server.resume()
    await until(() => redis.isConnected)
    expect(await redis.run((commands) => commands.ping())).toBe('PONG')
    expect(messages()).toEqual([expect.stringMatching(/^Redis does not answer/), 'Redis is back'])
  })

  it('uses user, password and database, and logs none of them', async () => {
    await server.run('ACL', 'SETUSER', 'app', 'on', `>${PASSWORD}`, '~*', '&*', '+@all')
    open({ ...server.config, username: 'app', password: new Secret('wrong-password-of-the-tests'), database: 3 })
    await until(() => lines.length > 0)
    redis.close()
    expect(lines.join('')).toContain('WRONGPASS')
    expect(lines.join('')).not.toContain('password-of-the-tests')
    open({ ...server.config, username: 'app', password: new Secret(PASSWORD), database: 3 })
    await until(() => redis.isConnected)
    expect(await redis.run((commands) => commands.client('INFO'))).toMatch(/name=payments-subgraph .*db=3 .*user=app/)
  })
})
