import type { Config } from '../config.ts'
import { CHECKS, examine } from './checks.ts'

/** Returns the report of all checks, as text or JSON. */
export async function diagnose(
  { upstream, ...config }: Config,
  { json }: { readonly json: boolean },
): Promise<{ readonly text: string; readonly isWell: boolean }> {
  if (upstream.kind === 'built-in-sandbox')
    return {
      text: 'The settings are valid. With the built-in sandbox there is nothing further to check.',
      isWell: true,
    }
  const findings = await examine({ ...config, upstream })
  const isWell = findings.length === 0
  if (json) return { text: JSON.stringify(findings, null, 2), isWell }
  const lines = Object.keys(CHECKS).map((name) => {
    const problems = findings.filter(({ check }) => check === name).map(({ problem }) => problem)
    return `${name.padEnd(12)}${problems.length === 0 ? 'ok' : problems.join(`\n${' '.repeat(12)}`)}`
  })
  return { text: lines.join('\n'), isWell }
}
