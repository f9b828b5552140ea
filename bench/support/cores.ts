import { execFileSync, spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'

/** The core of what is measured; everything else runs on the other one. */
const MEASURED_CORE = 0
const LOAD_CORE = 1

/** Whether processes can be bound to cores here: there are two of them, and taskset(1). */
export const CAN_PIN = availableParallelism() > 1 && spawnSync('taskset', ['-V'], { stdio: 'ignore' }).status === 0

/** Binds this process, all of its threads, and every process that it starts from now on to the core of the load. */
export function moveToLoadCore(): void {
  if (CAN_PIN) execFileSync('taskset', ['-a', '-p', '-c', String(LOAD_CORE), String(process.pid)], { stdio: 'ignore' })
}

/** The command line that runs a command on the core of what is measured. The process id is that of the command itself. */
export function onMeasuredCore(command: readonly string[]): readonly [string, string[]] {
  const [program = '', ...args] = CAN_PIN ? ['taskset', '-c', String(MEASURED_CORE), ...command] : command
  return [program, args]
}
