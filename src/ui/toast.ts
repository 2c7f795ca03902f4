import type { toast as shown } from 'sonner'

type Toast = typeof shown
type Kind = 'message' | 'success' | 'error' | 'warning' | 'loading'
type Say = (...said: Parameters<Toast['success']>) => void

let toastsAreThere = () => {}
const place = new Promise<void>((resolve) => {
  toastsAreThere = resolve
})
/** Called by the place of the toasts, which comes after the page: what is said before is shown then. */
export const toastsAreShown = () => toastsAreThere()

let isWaiting = false
const listeners = new Set<() => void>()
export const isToastWaiting = () => isWaiting
/** For `useSyncExternalStore`: something is to be said. */
export function onFirstToast(listener: () => void) {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const by =
  (kind: Kind): Say =>
  (...said) => {
    isWaiting = true
    for (const listener of listeners) listener()
    void show(kind, said)
  }

async function show(kind: Kind, said: Parameters<Say>) {
  const [{ toast: now }] = await Promise.all([import('sonner'), place])
  now[kind](...said)
}

let works = 0
type Working = { text: string; action?: { label: string; onClick: () => void } }
/** Stands until `end` is called; `say` says how far it is. */
function working() {
  works += 1
  const id = `working-${works}`
  let isSaid = false
  return {
    say({ text, action }: Working) {
      isSaid = true
      const onClick = (event: { preventDefault: () => void }) => {
        // the toast stays until it is over
        event.preventDefault()
        action?.onClick()
      }
      by('loading')(text, {
        id,
        duration: Infinity,
        ...(action && { action: { label: action.label, onClick } }),
      })
    },
    end() {
      if (isSaid) void end(id)
    },
  }
}

async function end(id: string) {
  const [{ toast: now }] = await Promise.all([import('sonner'), place])
  now.dismiss(id)
}

/** The toasts of sonner, which the first page does without. */
export const toast = Object.assign(by('message'), {
  success: by('success'),
  error: by('error'),
  warning: by('warning'),
  working,
})
