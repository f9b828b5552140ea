import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, onTestFinished } from 'vitest'
import { COMPILED, temporaryFolder } from '../support/process.ts'

const run = promisify(execFile)

/** Packs the package in a folder, and installs it in a new project beside nothing else. Returns the folder of the project. */
export async function installPacked(path: string): Promise<string> {
  const root = temporaryFolder(afterAll)
  const folder = join(root, 'project')
  mkdirSync(folder)
  await run('npm', ['pack', '--silent', '--pack-destination', root], { cwd: path, maxBuffer: 2 ** 26 })
  const tarball = readdirSync(root).find((name) => name.endsWith('.tgz')) ?? ''
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  const quietly = ['--no-audit', '--no-fund', '--prefer-offline']
  await run('npm', ['install', ...quietly, join(root, tarball)], { cwd: folder })
  return folder
}

/** Starts a sandbox by a command, given by its file in the folder and its arguments. Returns when it has said its addresses. */
export async function startSandboxCommand(
  cwd: string,
  command: readonly string[],
): Promise<{ readonly child: ChildProcess; readonly text: string; readonly origin: string }> {
  const child = spawn(process.execPath, [...command, '--port', '0'], {
    cwd,
    env: { NODE_COMPILE_CACHE: COMPILED },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  for await (const chunk of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (text.includes('DELETE /sandbox/faults')) break
  }
  const [, origin = ''] = /^Its page: (http:\/\/127\.0\.0\.1:\d+)\/$/m.exec(text) ?? []
  return { child, text, origin }
}

/** Returns the statuses of the page at the address, and of the scripts and styles that it names. */
export async function statusesOfPage(origin: string): Promise<Set<number>> {
  const page = await fetch(origin)
  const assets = [...(await page.text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
  const answers = await Promise.all(assets.map((path) => fetch(`${origin}${path}`)))
  return new Set([page, ...answers].map(({ status }) => status))
}
