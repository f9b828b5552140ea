import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { buildSchema } from 'graphql'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { installPacked, startSandboxCommand, statusesOfPage } from './packed.ts'

const run = promisify(execFile)
const own = JSON.parse(readFileSync('package.json', 'utf8')) as {
  bin: Record<string, string>
  exports: Record<string, unknown>
}
const CODE = Object.entries(own.exports).flatMap(([path, target]) => (typeof target === 'string' ? [] : [path]))
const FILES = Object.entries(own.exports).flatMap(([path, target]) => (typeof target === 'string' ? [path] : []))

/** The folder of a project that has installed the package, and nothing else. */
let folder = ''
beforeAll(async () => {
  folder = await installPacked(process.cwd())
})

const node = (...args: string[]) => run(process.execPath, args, { cwd: folder, env: {} })

describe('the package in an empty folder', () => {
  it.each(CODE)('exports %s as code with types', async (path) => {
    const name = join('payments-subgraph', path)
    writeFileSync(
      join(folder, 'index.ts'),
      `import * as all from '${name}'\nexport const names: string[] = Object.keys(all)\nconsole.log(names.length)\n`,
    )
    const { stdout } = await node('index.ts')
    expect(Number(stdout)).toBeGreaterThan(0)
    const compile = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom,esnext']
    const types = [
      '--types',
      'node',
      '--typeRoots',
      resolve('node_modules/@types'),
      '--allowImportingTsExtensions',
      '--skipLibCheck',
    ]
    await run(resolve('node_modules/.bin/tsc'), ['--ignoreConfig', ...compile, ...types, 'index.ts'], { cwd: folder })
  })

  it.each(FILES)('exports the file %s', async (path) => {
    const found = await node('-p', `require.resolve('${join('payments-subgraph', path)}')`)
    expect(existsSync(found.stdout.trim())).toBe(true)
  })

  it('exports the schema as clients see it', async () => {
    const { stdout } = await node('-p', "require.resolve('payments-subgraph/schema.graphql')")
    const schema = buildSchema(readFileSync(stdout.trim(), 'utf8'))
    expect(schema.getQueryType()?.getFields()).toHaveProperty('paymentLink')
    expect(Object.keys(schema.getTypeMap()).filter((name) => /^_[^_]|\w__/.test(name))).toEqual([])
  })

  it.each(Object.keys(own.bin))('has the command %s', async (name) => {
    const { stdout } = await node(join('node_modules/.bin', name), 'help')
    expect(stdout).toMatch(new RegExp(`^Usage: ${name}`))
  })

  it('starts the sandbox alone, with its page', async () => {
    const { origin } = await startSandboxCommand(folder, ['node_modules/.bin/payments-subgraph', 'sandbox'])
    expect(await statusesOfPage(origin)).toEqual(new Set([200]))
  })

  it('starts the subgraph with the sandbox, and answers', async () => {
    const env = { PORT: '0', SANDBOX_PORT: '0', ADMIN_PORT: 'off', WARM_UP_MS: '0' }
    const child = spawn(process.execPath, ['node_modules/.bin/payments-subgraph', 'start'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(async () => {
      child.kill()
      if (child.exitCode === null) await once(child, 'exit')
    })
    let output = ''
    const url = await new Promise<string>((found, failed) => {
      child.once('exit', () => failed(new Error(output)))
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const [, address] = /"url":"(http:[^"]+?)\/?"[^\n]*"msg":"ready"/.exec(output) ?? []
        if (address !== undefined) found(address)
      })
    })
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ paymentCurrencies { code } }' }),
    })
    expect(await response.json()).toMatchObject({ data: { paymentCurrencies: expect.any(Array) as unknown } })
  })
})
