import type { Side } from './world'
import { newId } from './world'

export const backupSamples: Record<string, (side: Side) => unknown> = {
  'backups.list': () => ({}),
  'backups.last': () => ({}),
  'backups.start': () => ({ id: newId() }),
  'copies.get': () => null,
  'copies.save': () => ({
    folder: null,
    old_after_days: 2,
    last_modified: new Date(0),
    password: 'seven green herons',
  }),
  'copies.start': () => null,
  'backups.download': ({ backup }) => ({ id: backup.id, password: 'seven green herons' }),
  'backups.file': ({ backup }) => ({ id: backup.id, ticket: '0.of-nobody' }),
}
