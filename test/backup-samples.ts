import type { Side } from './world'
import { newId } from './world'

export const backupSamples: Record<string, (side: Side) => unknown> = {
  'backups.list': () => ({}),
  'backups.last': () => ({}),
  'backups.start': () => ({ id: newId() }),
  'backups.download': ({ backup }) => ({ id: backup.id }),
}
