/** Copies the database while the program runs. Arguments: the path of the database and the path of the copy. */
import { BackupError, backUp } from './store/sqlite/files.ts'

const [from, to, ...more] = process.argv.slice(2)

if (from === undefined || to === undefined || more.length > 0) {
  process.stderr.write('Usage: npm run backup -- <database file> <file of the copy>\n')
  process.exitCode = 2
} else {
  try {
    process.stdout.write(`Backed up, with ${backUp({ from, to })} events.\n`)
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    process.stderr.write(`${error.message}\n`)
    process.exitCode = 1
  }
}
