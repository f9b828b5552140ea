import { execFile } from 'node:child_process'
import { existsSync, globSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { delimiter, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { installPacked } from './packed.ts'

const run = promisify(execFile)
const COMPILERS = ['node_modules/typescript/bin/tsc', 'packages/client/node_modules/typescript/bin/tsc']
const KIT = resolve('packages/client')
const NAME = 'payments-subgraph-client'

type Manifest = { readonly exports: Readonly<Record<string, unknown>>; readonly dependencies?: unknown }

const manifest = JSON.parse(readFileSync(join(KIT, 'package.json'), 'utf8')) as Manifest
/** Without the hooks, which need React: the test of the guide for the front end has it. */
const CODE = Object.entries(manifest.exports).flatMap(([path, target]) =>
  typeof target === 'string' || path === './react' ? [] : [path],
)

const APP = `import {
  ask, CreatePaymentLinkDocument, formatAmount, openCheckout, paymentLinkStore, PaymentsClientError, remaining,
  watchPayment, watchPaymentAgreement, watchPaymentEvents, watchPaymentLink, watchPayout, type Connection, type PaymentLinkView, type WatchOptions,
} from 'payments-subgraph-client'

const endpoint: WatchOptions = { url: 'https://shop.example/graphql', token: async () => 'a', webSocket: WebSocket, fetch }
export async function app(signal: AbortSignal): Promise<string> {
  const amount = { value: '1', currency: 'AUD' }
  const customer = { email: 'a@b.test', firstName: 'A', lastName: 'B' }
  const input = { idempotencyKey: 'a', reference: 'a', description: 'a', amount, customer }
  const { createPaymentLink } = await ask(CreatePaymentLinkDocument, { input }, endpoint, { signal })
  if (createPaymentLink?.__typename !== 'CreatePaymentLinkSuccess') throw new PaymentsClientError('a', 'b')
  const { link } = createPaymentLink
  for await (const { payment } of watchPaymentLink(link.id, { ...endpoint, signal })) {
    const phase: 'SUCCEEDED' | undefined = payment?.phase === 'SUCCEEDED' ? payment.phase : undefined
    if (phase !== undefined) break
  }
  const view: PaymentLinkView = paymentLinkStore(link.id, endpoint).getSnapshot()
  const connection: Connection = view.connection
  openCheckout(link.checkoutUrl, { onMessage: ({ event }) => event === 'done' })
  void [watchPayment, watchPaymentAgreement, watchPaymentEvents, watchPayout]
  return connection + formatAmount(link.requestedAmount) + String(remaining(link.expiresAt, view.serverOffsetMs))
}
`

/** Prints what it gets from the graph at an address. */
const PROGRAM = `import { ask, formatAmount } from '${NAME}'
const { greeting } = await ask('{ greeting }', {}, { url: process.argv[2] })
console.log(greeting, formatAmount({ value: '1250.5', currency: 'AUD', exponent: 2 }, 'en-AU'))
`

/** The runtimes to use it with: that of the tests, and the machine's own, which is often an older one. */
const NODES = [process.execPath, machinesNode()].filter((path) => path !== null)

function machinesNode(): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter((path) => !path.includes('node_modules'))
  return folders.map((path) => join(path, 'node')).find((path) => existsSync(path)) ?? null
}

/** A project that has installed the packed kit, and nothing else. */
let folder: string
beforeAll(async () => {
  folder = await installPacked(KIT)
  writeFileSync(join(folder, 'app.ts'), APP)
  writeFileSync(join(folder, 'program.js'), PROGRAM)
})

it('installs one package, with its licence and how to use it', () => {
  expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([NAME])
  const files = readdirSync(join(folder, 'node_modules', NAME))
  expect(files.toSorted()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src'])
  const paths = globSync('**/*', { cwd: join(folder, 'node_modules') })
  const bytes = paths.map((path) => statSync(join(folder, 'node_modules', path))).filter((entry) => entry.isFile())
  expect(bytes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(1_000_000)
})

it('is one file for a page, which imports nothing', async () => {
  const code = readFileSync(join(folder, 'node_modules', NAME, 'dist/standalone.js'), 'utf8')
  expect(code).not.toMatch(/\bimport\b\s*[({'"\w]|\brequire\(/)
  const url = `data:text/javascript,${encodeURIComponent(code)}`
  const print = `import * as kit from ${JSON.stringify(url)}; console.log(kit.paymentText({ link: null, payment: null }, 'fr').headline)`
  const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', print], { env: {} })
  expect(stdout).toBe('Chargement…\n')
})

it.each(['nodenext', 'bundler'])(
  'an app has its types, without any of ours, under TypeScript 7 and 5 (%s)',
  async (moduleResolution) => {
    const module = moduleResolution === 'nodenext' ? 'nodenext' : 'esnext'
    const compilerOptions = {
      target: 'es2022',
      module,
      moduleResolution,
      lib: ['es2022', 'dom', 'dom.iterable'],
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      noEmit: true,
    }
    const names = CODE.map((path) => join(NAME, path))
    writeFileSync(join(folder, 'all.ts'), names.map((name, at) => `export * as all${at} from '${name}'\n`).join(''))
    const config = join(folder, `${moduleResolution}.json`)
    writeFileSync(config, JSON.stringify({ compilerOptions, files: ['app.ts', 'all.ts'] }))
    for (const compiler of COMPILERS) {
      const compiling = run(process.execPath, [resolve(compiler), '-p', config])
      expect((await compiling.catch((error: { stdout: string }) => error)).stdout).toBe('')
    }
  },
)

it.each(NODES)('is used with %s', async (node) => {
  const server = createServer((_request, response) => response.end('{"data":{"greeting":"hello"}}'))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { stdout } = await run(node, ['program.js', url], { cwd: folder, env: {} })
  expect(stdout).toBe('hello $1,250.50\n')
  const imports = CODE.map((path) => `import * as all from '${join(NAME, path)}'; console.log(Object.keys(all).length)`)
  for (const code of imports) {
    const { stdout: count } = await run(node, ['--input-type=module', '--eval', code], { cwd: folder, env: {} })
    expect(Number(count)).toBeGreaterThan(0)
  }
})

it.each([
  ['trusted-documents.json', /"[\da-f]{64}": "mutation CreatePaymentLink/],
  ['operations/shop.graphql', /^mutation CreatePaymentLink/m],
])('exports %s', async (path, content) => {
  const { stdout } = await run(process.execPath, ['-p', `require.resolve('${NAME}/${path}')`], { cwd: folder, env: {} })
  expect(readFileSync(stdout.trim(), 'utf8')).toMatch(content)
})
