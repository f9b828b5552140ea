import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Installs the gateways, packages of their own, if that was not done before. */
export function setup(): void {
  for (const folder of ['test/gateway/hive', 'test/gateway/apollo'])
    if (!existsSync(`${folder}/node_modules`))
      execFileSync('npm', ['ci', '--prefix', folder, '--ignore-scripts'], { stdio: ['ignore', 'ignore', 'inherit'] })
}
