import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll } from 'vitest'
import { temporaryFolder } from '../support/process.ts'

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
