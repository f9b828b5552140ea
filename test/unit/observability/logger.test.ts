import { describe, expect, it } from 'vitest'
import { InvalidTokenError } from '../../../src/access/caller.ts'
import { Secret } from '../../../src/keys/key-ring.ts'
import { createLogger } from '../../../src/observability/logger.ts'
import type { Logger, LogLevel } from '../../../src/observability/logger.ts'

const CANARY = 'kanarie7'

type Recorder = { log: Logger; text: () => string; lines: () => Record<string, unknown>[] }

function recorder(level: LogLevel = 'debug'): Recorder {
  const written: string[] = []
  const log = createLogger({ level, destination: { write: (line: string) => void written.push(line) } })
  return {
    log,
    text: () => written.join(''),
    lines: () => written.map((line): Record<string, unknown> => JSON.parse(line)),
  }
}

function lineOf(fields: object): Record<string, unknown> {
  const { log, lines } = recorder()
  log.info(fields, 'A line.')
  return lines()[0] ?? {}
}

class SafeError extends Error {
  readonly safeMessage = true
}

describe('createLogger', () => {
  it('writes level, time, message and the fields that are allowed, and nothing of the machine', () => {
    const line = lineOf({ linkId: 'pl_1', status: 200, durationMs: 1.5, settings: ['JWT_SECRETS', 'PORT'] })
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      linkId: 'pl_1',
      status: 200,
      durationMs: 1.5,
      settings: ['JWT_SECRETS', 'PORT'],
      msg: 'A line.',
    })
  })

  it('writes an address without its query, and a path alone', () => {
    const line = lineOf({ path: '/graphql?a=1', url: 'http://127.0.0.1:4000/graphql?a=1#b' })
    expect(line).toMatchObject({ path: '/graphql', url: 'http://127.0.0.1:4000/graphql' })
  })

  it('keeps to its level', () => {
    const { log, lines } = recorder('warn')
    log.debug({}, 'd')
    log.info({}, 'i')
    log.warn({}, 'w')
    log.error({}, 'e')
    log.fatal({}, 'f')
    expect(lines().map((line) => line['level'])).toEqual(['warn', 'error', 'fatal'])
  })

  it('adds the fields of a child, by the same rules', () => {
    const { log, lines } = recorder()
    const unlisted = { email: CANARY }
    log
      .child({ requestId: 'r1', ...unlisted })
      .child({ site: 'au' })
      .info({ count: 1 }, 'm')
    expect(lines()[0]).toMatchObject({ requestId: 'r1', site: 'au', count: 1 })
    expect(JSON.stringify(lines())).not.toContain(CANARY)
  })
})

describe('what does not reach a line', () => {
  it.each<[string, object]>([
    ['a field that is not listed', { email: CANARY, authorization: CANARY, body: { a: CANARY }, [CANARY]: 1 }],
    ['a field of the line itself', { level: CANARY, time: CANARY, msg: CANARY }],
    ['an object in a listed field', { reason: { name: CANARY }, kind: [{ name: CANARY }] }],
    ['an e-mail address', { reason: `${CANARY}@example.test`, path: `/a/${CANARY}@example.test` }],
    ['a sentence', { code: `${CANARY} was refused`, path: `/a b/${CANARY}` }],
    ['a line break', { kind: `a\n${CANARY}`, path: `/a\n${CANARY}` }],
    ['a long text', { ref: CANARY.repeat(100) }],
    ['a query', { path: `/graphql?token=${CANARY}#${CANARY}` }],
    ['credentials in an address', { url: `http://${CANARY}:${CANARY}@127.0.0.1:4000/?a=${CANARY}#${CANARY}` }],
    ['a secret', { code: new Secret(CANARY), token: new Secret(CANARY) }],
    ['a message', { err: new Error(CANARY) }],
    [
      'a message of several lines that looks like a place',
      { err: new Error(`a\n    at f (/x/${CANARY}.ts:1:1)\n${CANARY}`) },
    ],
    ['a message changed later', { err: Object.assign(new Error(CANARY), { message: 'other' }) }],
    ['properties of an error', { err: Object.assign(new Error('x'), { body: CANARY, code: `no ${CANARY}` }) }],
    ['the name of an error', { err: Object.assign(new Error('x'), { name: `${CANARY} is wrong` }) }],
    ['the name of an error that looks like a code', { err: Object.assign(new Error('x'), { name: CANARY }) }],
    ['a message that its class calls unsafe', { err: Object.assign(new Error(CANARY), { safeMessage: false }) }],
    ['a cause', { err: new Error('x', { cause: new Error(CANARY, { cause: CANARY }) }) }],
    ['something thrown that is no error', { err: CANARY }],
    ['an error in place of fields', new Error(CANARY)],
  ])('%s', (_name, fields) => {
    const line = JSON.stringify(lineOf(fields))
    expect(line).toContain('A line.')
    expect(line).not.toContain(CANARY)
  })
})

describe('errors', () => {
  it('keep name, code and places', () => {
    const err = Object.assign(new TypeError(CANARY), { code: 'ECONNRESET' })
    expect(lineOf({ err })['err']).toMatchObject({
      name: 'TypeError',
      code: 'ECONNRESET',
      stack: expect.arrayContaining([expect.stringMatching(/logger\.test\.ts(?:\?[^:]*)?:\d+:\d+/)]),
    })
  })

  it('keep the message of a class that declares it safe, also as a cause', () => {
    expect(lineOf({ err: new InvalidTokenError('expired') })['err']).toMatchObject({
      name: 'InvalidTokenError',
      code: 'INVALID_TOKEN',
      message: 'The token has expired.',
    })
    expect(lineOf({ err: new Error('x', { cause: new SafeError('safe') }) })['err']).toMatchObject({
      cause: { message: 'safe' },
    })
  })

  it('end a chain of causes', () => {
    const err = new Error('x')
    err.cause = err
    expect(JSON.stringify(lineOf({ err })).length).toBeLessThan(20_000)
  })
})
