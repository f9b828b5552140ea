import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMPILED, temporaryFolder } from '../support/process.ts'
import { startSandboxCommand, statusesOfPage } from './packed.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Folder with the program as it is installed: built files and dependencies, no sources. */
let folder = ''
beforeAll(() => {
  folder = temporaryFolder(afterAll)
  copyFileSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(ROOT, 'dist'), join(folder, 'dist'), { recursive: true })
})

type Run = { readonly code: number; readonly stdout: string; readonly stderr: string }

/** Runs the built command to its end. */
async function run(args: string[], env: Record<string, string> = {}): Promise<Run> {
  const options = { cwd: folder, env: { NODE_COMPILE_CACHE: COMPILED, ...env }, timeout: 25_000 }
  return promisify(execFile)(process.execPath, [join(folder, 'dist/cli.js'), ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Run) => error,
  )
}

describe('the command of the package', () => {
  it.each<[args: string[], code: number, stdout: RegExp, stderr: RegExp]>([
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [['help'], 0, /^Usage: payments-subgraph \[options\] \[command\]/, /^$/],
    [['--help'], 0, /start .+sandbox .+token .+backup .+deliveries /s, /^$/],
    [[], 2, /^$/, /^Usage: .+start .+sandbox .+token .+backup /s],
    [['sandboxx'], 2, /^$/, /^error: unknown command 'sandboxx' \(Did you mean sandbox\?\)\n$/],
    [['toString'], 2, /^$/, /^error: unknown command/],
    [['--nothing'], 2, /^$/, /^error: unknown option/],
    [['start', 'now'], 2, /^$/, /^error: too many arguments/],
    [['start', '--help'], 0, /^Usage/, /^$/],
    [['sandbox', '--help'], 0, /^Usage: payments-subgraph sandbox/, /^$/],
    [['sandbox', '--prot', '1'], 2, /^$/, /^error: unknown option '--prot' \(Did you mean --port\?\)\n$/],
    [['sandbox', '--port', 'x'], 1, /^$/, /^SANDBOX_PORT is not a port number/],
    [['import'], 2, /^$/, /--from <instant>' not specified/],
    [['token'], 2, /^$/, /^error: missing required argument 'scopes'/],
    [['backup'], 2, /^$/, /^error: missing required argument 'database'/],
    [['restore', 'none', 'here'], 1, /^$/, /^There is no database/],
    [['complete', 'bash'], 0, /payments-subgraph/, /^$/],
    [['complete', '--', 'deliv'], 0, /^deliveries\t/, /^$/],
  ])('with %j ends with %i', async (args, code, stdout, stderr) => {
    const ended = await run(args)
    expect(ended).toMatchObject({ code, stdout: expect.stringMatching(stdout) as string })
    expect(ended.stderr).toMatch(stderr)
  })

  it.each([
    ['payments-subgraph', 'cli.js'],
    ['payments-subgraph', 'main.js'],
  ])('says in a sentence that %s needs a later Node.js, in %s', async (name, file) => {
    // An older one has no such module.
    const older = `import { registerHooks } from 'node:module'
      Object.defineProperty(process.versions, 'node', { value: '20.20.2' })
      registerHooks({ resolve(name, context, next) { if (name === 'node:sqlite') throw new Error(name); return next(name, context) } })`
    const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, join(folder, 'dist', file), 'start']
    await expect(promisify(execFile)(process.execPath, args)).rejects.toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^${name} needs Node\\.js 24 or later\\. This is v[\\d.]+\\.\n$`),
      ) as string,
    })
  })

  it('makes a token', async () => {
    const { code, stdout } = await run(['token', 'payments:read'], {
      JWT_SECRETS: 'client-secret-of-more-than-32-bytes',
    })
    expect([code, stdout.split('.').length]).toEqual([0, 3])
  })

  it('starts the sandbox alone, with its page, and ends it on SIGTERM while somebody looks', async () => {
    const { child, text, origin } = await startSandboxCommand(folder, ['dist/cli.js', 'sandbox'])
    expect(text).toContain('secret-key sandbox-secret-aud')
    expect(await statusesOfPage(origin)).toEqual(new Set([200]))

    const feed = await fetch(`${origin}/sandbox/changes`)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    expect(await ended).toEqual([0, null])
    expect(await feed.text()).toContain('event: change')
  })
})
