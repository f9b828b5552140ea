import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { startSandbox } from 'payments-subgraph-sandbox'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Program, snippetsOf, startProgram, typeFaults } from '../guides/snippets.ts'
import { settingsFor } from '../support/app-settings.ts'
import { askAt, type Network, token } from '../support/network.ts'
import { temporaryFolder } from '../support/process.ts'
import { installPacked } from './packed.ts'

const SNIPPETS = snippetsOf('extending.md')
const CURRENCIES = 'query Currencies { paymentCurrencies { code } }'

/** Calls the API route as Next.js does: with the requests of `node:http`, and unread bodies if its `config` says so. */
const NEXT = `import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import handler, { config } from './pages/api/payments/[...path].ts'

if (config.api.bodyParser) throw new Error('Next.js would read the body.')
const server = createServer((request, response) => {
  if (request.url === '/own') response.end('own')
  else handler(request, response)
}).listen(0, '127.0.0.1', () => {
  console.log(\`ready http://127.0.0.1:\${(server.address() as AddressInfo).port}\`)
})
`

/** The folder of a project that has installed the package, with the examples of the guide. */
let folder = ''
beforeAll(async () => {
  folder = await installPacked(process.cwd())
  for (const name of ['fastify', 'express', '@types/express'])
    symlinkSync(resolve('node_modules', name), join(folder, 'node_modules', name))
  for (const [name, code] of [...SNIPPETS, ['next.ts', NEXT] as const]) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), code)
  }
})

/** Runs an example beside a sandbox, and returns what sends operations to it. */
async function run(file: string, env: Record<string, string> = {}) {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const options = { env: { ADMIN_PORT: 'off', NODE_ENV: 'test', ...env } }
  const program = startProgram(folder, file, settingsFor({ folder: temporaryFolder(), port: '0', sandbox, options }))
  const url = (await program.line(/^ready /)).slice('ready '.length)
  return { program, url, ask: askAt(() => url) }
}

/** Ends an example as a supervisor does, and waits for its end. */
async function end(program: Program): Promise<void> {
  program.terminate()
  await program.output()
}

/** Starts a server, and returns its address and the bodies that it gets. */
async function startReceiver(answer: (body: string) => unknown) {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('latin1')
      bodies.push(`${request.url} ${body}`)
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answer(body)))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return { bodies, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const codeOf = ({ errors }: Awaited<ReturnType<Network['ask']>>) => errors?.[0]?.extensions?.['code']

describe('the examples of docs/guides/extending.md', () => {
  it('have at most 30 lines each, and compile', () => {
    expect(Array.from(SNIPPETS.values(), (code) => code.split('\n').length - 1).filter((lines) => lines > 30)).toEqual(
      [],
    )
    expect(typeFaults({ folder }, { customConditions: [], typeRoots: [resolve('node_modules/@types')] })).toBe('')
  })

  it('start the app from an environment and end it', async () => {
    const { program, ask } = await run('start.ts')
    expect((await ask(CURRENCIES)).data).toHaveProperty('paymentCurrencies')
    await end(program)
  })

  it('name a wrong setting', async () => {
    const output = startProgram(folder, 'start.ts', { PORT: 'x' }).output()
    await expect(output).rejects.toThrow(/ConfigError: PORT /)
  })

  it('add a field', async () => {
    const { ask } = await run('field.ts')
    const { data } = await ask('{ paymentCurrencies { code shopSymbol } }')
    expect(data['paymentCurrencies']).toContainEqual({ code: 'AUD', shopSymbol: 'A$' })
    const anna = await token({ subject: 'anna' })
    expect((await ask('{ shopOrderCount }', {}, { token: anna })).data).toEqual({ shopOrderCount: 2 })
    expect(codeOf(await ask('{ shopOrderCount }', {}, { token: null }))).toBe('UNAUTHENTICATED')
  })

  it('verify tokens by introspection', async () => {
    const claims = { active: true, exp: 4_000_000_000, sub: 'anna', scope: 'payments:read' }
    const issuer = await startReceiver((body) => (body === 'token=good' ? claims : { active: false }))
    const { ask } = await run('tokens.ts', { INTROSPECTION_URL: issuer.url })
    const query = '{ webhookDelivery(id: "x") { id } }'
    expect((await ask(query, {}, { token: 'good' })).errors).toBeUndefined()
    expect(codeOf(await ask(query, {}, { token: 'other' }))).toBe('UNAUTHENTICATED')
  })

  it('report and log operations by plugins of Apollo Server', async () => {
    const reports = await startReceiver(() => ({}))
    const env = { REPORTS_URL: reports.url, APOLLO_KEY: 'service:payments:key', APOLLO_GRAPH_REF: 'payments@test' }
    const { program, ask } = await run('plugins.ts', env)
    await ask(CURRENCIES)
    const line = JSON.parse(await program.line(/operationName/)) as object
    expect(line).toMatchObject({ operationName: 'Currencies', caller: 'client', errors: 0 })
    await end(program)
    expect(reports.bodies.join('\n')).toMatch(/^\/api\/ingress\/traces /m)
  })

  it.each([
    { of: 'Fastify', file: 'server.ts', prefix: '' },
    { of: 'Express', file: 'express.ts', prefix: '' },
    { of: 'Next.js', file: 'next.ts', prefix: '/api/payments' },
  ])('pass requests of a server of $of on', async ({ file, prefix }) => {
    const { url, program } = await run(file)
    expect((await askAt(() => url + prefix)(CURRENCIES)).data).toHaveProperty('paymentCurrencies')
    expect(await (await fetch(`${url}/own`)).text()).toBe('own')
    const headers = { 'content-type': 'application/json' }
    const refused = await fetch(`${url}${prefix}/webhooks/payments`, { method: 'POST', headers, body: '{}' })
    expect(refused.status).toBe(401)
    if (file !== 'next.ts') await end(program)
  })

  it('have an Apollo Server of their own', async () => {
    const { ask } = await run('apollo.ts')
    expect((await ask(CURRENCIES)).data).toHaveProperty('paymentCurrencies')
    expect(codeOf(await ask('{ webhookDelivery(id: "x") { id } }', {}, { token: null }))).toBe('UNAUTHENTICATED')
  })
})
