import { api } from '~/client/api'
import type { MessageKey } from '~/shared/language'
import type { Message } from '~/shared/errors'
import type { Sayable } from '~/shared/say'
import { useAction } from './action'
import { confirm } from './confirm'

type Api = typeof api
/** Nouns with an operation `delete` and the messages of the button, the question and what was done. */
export type Deletable = {
  [N in keyof Api]: Api[N] extends { delete: (input: { id: string }) => Promise<Deleted> }
    ? `${N}.${'delete' | 'deleteAsks' | 'deletedDone'}` extends MessageKey
      ? N
      : never
    : never
}[keyof Api]
type Deleted = { deletionId: string }

type More = {
  /** Instead of the words on the button. */
  title?: Sayable
  /** Instead of the question of the noun. */
  text?: Sayable
  /** Before the screen is read again, such as leaving the page of the record. */
  afterwards?: () => Promise<unknown>
  /** The user may restore from the trash. */
  mayUndo?: boolean
}

/**
 * Asks, moves a record to the trash and offers to restore it. `values` are for all messages. Resolves to undefined if
 * the record was not deleted.
 */
export function useDelete() {
  const { run, pending } = useAction()
  async function remove(
    noun: Deletable,
    id: string,
    values?: Message['values'],
    { title, text: asked, afterwards, mayUndo = true }: More = {},
  ) {
    const action = `${noun}.delete` as const
    const text: Sayable = asked ?? { key: `${noun}.deleteAsks`, values }
    if (!(await confirm({ title: title ?? action, text, action, destructive: true })))
      return undefined
    const work = async (): Promise<Deleted> => {
      const deleted = await api[noun].delete({ id })
      await afterwards?.()
      return deleted
    }
    return run(work, {
      success: { key: `${noun}.deletedDone`, values },
      undo: mayUndo ? ({ deletionId }) => api.trash.restore({ id: deletionId }) : undefined,
    })
  }
  return { remove, pending }
}
