import { api } from '~/client/api'
import type { Sayable } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'

type Deletion<R> = {
  /** The verb on the button and in the title: "Delete clinic". */
  action: Sayable
  title?: Sayable
  text: Sayable
  work: () => Promise<R>
  success: Sayable
  /** The user may restore from the trash. */
  mayUndo?: boolean
}

/**
 * Asks, moves a record to the trash and offers to restore it. Resolves to undefined if the record
 * was not deleted.
 */
export function useDelete() {
  const { run, pending } = useAction()
  async function remove<R extends { deletionId: string }>(deletion: Deletion<R>) {
    const { action, title = action, text, work, success, mayUndo = true } = deletion
    if (!(await confirm({ title, text, action, destructive: true }))) return undefined
    return run(work, {
      success,
      undo: mayUndo ? ({ deletionId }) => api.trash.restore({ id: deletionId }) : undefined,
    })
  }
  return { remove, pending }
}
