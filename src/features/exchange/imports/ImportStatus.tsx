import { useSay } from '~/shared/say'
import type { MessageKey } from '~/shared/language'
import { StatusBadge, type Tone } from '~/ui/StatusBadge'
import type { Import } from './imports.server'

const tones: Record<Import['status'], Tone> = {
  uploading: 'quiet',
  ready: 'plain',
  waiting: 'plain',
  running: 'plain',
  finished: 'good',
  stopped: 'warning',
  failed: 'bad',
}

export function ImportStatus({
  import: { status, task },
}: {
  import: Pick<Import, 'status' | 'task'>
}) {
  const say = useSay()
  return <StatusBadge tone={tones[status]}>{say(wordFor(status, task))}</StatusBadge>
}

function wordFor(status: Import['status'], task: Import['task']): MessageKey {
  if (task === 'undo' && status === 'running') return 'imports.statusUndoing'
  if (task === 'undo' && status === 'finished') return 'imports.statusUndone'
  if (status === 'running')
    return task === 'check' ? 'imports.statusChecking' : 'imports.statusImporting'
  if (status === 'finished')
    return task === 'check' ? 'imports.statusChecked' : 'imports.statusImported'
  return `imports.statuses.${status}`
}
