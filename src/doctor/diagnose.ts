import type { Config } from '../config.ts'
import { CHECKS, examine } from './checks.ts'

/** Returns the report of all checks, with a problem if one has found something. */
export async function diagnose({ upstream, ...config }: Config) {
  if (upstream.kind === 'built-in-sandbox')
    return {
      data: [],
      text: 'The settings are valid. With the built-in sandbox there is nothing further to check.',
    }
  const findings = await examine({ ...config, upstream })
  const lines = Object.keys(CHECKS).map((name) => {
    const problems = findings.filter(({ check }) => check === name).map(({ problem }) => problem)
    return `${name.padEnd(12)}${problems.length === 0 ? 'ok' : problems.join(`\n${' '.repeat(12)}`)}`
  })
  const problem = findings.length === 0 ? undefined : `Found: ${findings.length}.`
  return { data: findings, text: lines.join('\n'), problem }
}
