import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Loaded before the program, it plants the fault that the power cut is there to find: every sync of the write-ahead log that
 * the program asks for reports success, and none is made.
 */
Object.assign(fs, { fdatasync: (_file: number, done: (error: null) => void) => setImmediate(done, null) })
syncBuiltinESMExports()
