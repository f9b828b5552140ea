import type { RetentionConfig } from '../config/retention.ts'
import { type ArchiveFolder, createArchiveFolder } from '../retention/archive-folder.ts'

/** Returns the configured folder of archives; null if there is none. Throws an `Error` if it cannot be written. */
export async function openArchive({ archive }: RetentionConfig): Promise<ArchiveFolder | null> {
  if (archive?.kind !== 'folder') return null
  const folder = createArchiveFolder(archive.path)
  await folder.prepare()
  return folder
}
