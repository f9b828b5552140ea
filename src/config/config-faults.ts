/** A fault of one setting. The message never contains the value, which may be a misplaced secret. */
export type ConfigFault = { readonly setting: string; readonly message: string }

/** Returns the faults for the operator, one line each, in the order of the settings. */
export function describeFaults(faults: readonly ConfigFault[]): string {
  return faults.map(({ setting, message }) => `${setting} ${message}`).join('\n')
}
