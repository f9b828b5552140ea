import { execFile } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { installPacked, startSandboxCommand, statusesOfPage } from './packed.ts'

const run = promisify(execFile)
const NAME = 'payments-subgraph-sandbox'

const PROGRAM = `import { startSandbox } from '${NAME}'
const sandbox = await startSandbox()
const headers = { 'app-id': 'sandbox-aud', 'secret-key': 'sandbox-secret-aud', 'content-type': 'application/json' }
const sender_info = { email: 'ada@example.test', first_name: 'Ada', last_name: 'Payer' }
const body = JSON.stringify({ amount: 125.5, description: 'Two tickets', sender_info })
const response = await fetch(sandbox.url + '/v3/payin_links', { method: 'POST', headers, body })
const { uuid } = await response.json()
const page = await fetch(sandbox.origin + '/checkout/' + uuid)
console.log(response.status, page.status, sandbox.control.state().links[0].uuid === uuid)
await sandbox.close()
`

/** A project that has installed the packed sandbox, and nothing else. */
let folder: string
beforeAll(async () => {
  folder = await installPacked(resolve('packages/sandbox'))
})

it('creates a link over HTTP in an empty folder', async () => {
  writeFileSync(join(folder, 'program.js'), PROGRAM)
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: folder, env: {} })
  expect(stdout).toBe('200 200 true\n')
})

it('has types', async () => {
  const program = `import { startSandbox, type Sandbox } from '${NAME}'\nexport const sandbox: Promise<Sandbox> = startSandbox({ port: 0 })\n`
  writeFileSync(join(folder, 'program.ts'), program)
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--lib', 'es2024,dom,esnext']
  const types = ['--types', 'node', '--typeRoots', resolve('node_modules/@types')]
  const compiler = resolve('node_modules/.bin/tsc')
  const compiling = run(compiler, ['--ignoreConfig', ...options, ...types, 'program.ts'], { cwd: folder })
  await expect(compiling).resolves.toMatchObject({ stdout: '' })
})

it('has a command that says its address, and serves its page there', async () => {
  const { origin } = await startSandboxCommand(folder, [join('node_modules/.bin', NAME)])
  expect(await statusesOfPage(origin)).toEqual(new Set([200]))
})

it('contains the page of the sandbox alone, and no source', () => {
  const files = readdirSync(join(folder, 'node_modules', NAME), { recursive: true, encoding: 'utf8' })
  expect(files).toContain('dist/web/sandbox/index.html')
  expect(files).toContain('dist/web/license.md')
  expect(files.filter((file) => /(?<!\.d)\.ts$|\.map$|web\/(?:console|explorer|shop)/.test(file))).toEqual([])
})
