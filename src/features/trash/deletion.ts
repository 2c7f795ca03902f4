import type { Sayable } from '~/shared/say'
import { useAction } from '~/ui/action'
import { confirm } from '~/ui/confirm'
import { restoreDeletion } from './trash.functions'

type Deletion = {
  /** What the question and its button say: "Delete allergy". */
  title: Sayable
  /** The button, where it says less than the title. */
  action?: Sayable
  asks: Sayable
  done: Sayable
}

/** Asks, deletes, and offers to undo it: users may restore what they deleted. */
export function useDeletion() {
  const { run, pending } = useAction()
  async function remove(
    work: () => Promise<{ deletionId: string }>,
    { title, action = title, asks, done }: Deletion,
  ) {
    if (!(await confirm({ title, text: asks, action, destructive: true }))) return
    await run(work, {
      success: done,
      undo: ({ deletionId }) => restoreDeletion({ data: { id: deletionId } }),
    })
  }
  return { remove, pending }
}
