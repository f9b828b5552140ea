import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { bindToCore, LOAD_CORE, SERVER_CORE } from '../../test/support/cpu-time.ts'

/** True if processes can be bound to cores on this machine: this needs two cores, and taskset(1). */
export const CAN_PIN = availableParallelism() > 1 && spawnSync('taskset', ['-V'], { stdio: 'ignore' }).status === 0

/** Binds this process with all its threads, and all processes that it starts later, to the core of the load. */
export function moveToLoadCore(): void {
  if (CAN_PIN) bindToCore(process.pid, LOAD_CORE)
}

/** Returns the command line that runs a command on the measured core. The started process has the process id of the command itself. */
export function onMeasuredCore(command: readonly string[]): readonly [string, string[]] {
  const [program = '', ...args] = CAN_PIN ? ['taskset', '-c', String(SERVER_CORE), ...command] : command
  return [program, args]
}
