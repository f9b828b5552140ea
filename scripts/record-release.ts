/** For a release: records its commit, against which the test of upgrades runs (`test/faults/upgrade.test.ts`). */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'

const RELEASE = 'release.json'

const commit = execFileSync('git', ['rev-parse', 'HEAD'], { encoding: 'utf8' }).trim()
writeFileSync(RELEASE, `{ "commit": "${commit}" }\n`)
console.log(`${RELEASE} names ${commit} now.`)
