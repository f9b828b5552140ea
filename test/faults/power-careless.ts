import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Loaded before the program; plants the fault that the power-cut test must find: every sync of the write-ahead log reports success, and
 * none is made.
 */
Object.assign(fs, { fdatasync: (_file: number, done: (error: null) => void) => setImmediate(done, null) })
syncBuiltinESMExports()
