import { Modal, type ModalProps } from '@mantine/core'
import { useModals } from '@mantine/modals'
import {
  createContext,
  type ReactNode,
  use,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { confirm } from './confirm'
import { returnFocusSoon } from './focusTrail'
import { FormsOfDialog } from './unsaved'

const FIRST = '[data-autofocus], input:not([type="hidden"], [type="file"]), select, textarea'

/** What each dialog below shows above its content: on screens about one patient, who it is. */
export const DialogHead = createContext<ReactNode | null>(null)

/**
 * A dialog that is drawn only while it is open. It opens with the focus on its first field, also
 * when the fields are loaded later, and gives the focus back to what opened it. A click beside it, Escape and its cross
 * ask before they discard what was typed; a button "Cancel" says what it does.
 */
export function Dialog({ children, onClose, ...props }: Omit<ModalProps, 'opened'>) {
  const isAskedRef = useIsAskedRef()
  const [forms] = useState(() => new Map<string, boolean>())
  const wasTypedRef = useRef(false)
  const head = use(DialogHead)
  async function close() {
    if (isAskedRef.current) return
    const isUnsaved = forms.size > 0 ? [...forms.values()].includes(true) : wasTypedRef.current
    if (!isUnsaved || (await mayDiscard())) onClose()
  }
  return (
    <Modal opened {...props} onClose={() => void close()}>
      {head}
      <FormsOfDialog value={forms}>
        {/* of fields that are no form: everything typed in the dialog, in its lists as well */}
        <div onInput={() => (wasTypedRef.current = true)}>
          <Focused>{children}</Focused>
        </div>
      </FormsOfDialog>
    </Modal>
  )
}

const mayDiscard = () =>
  confirm({
    title: 'form.discardTitle',
    text: 'form.discardText',
    action: 'form.discard',
    cancel: 'form.stay',
    destructive: true,
  })

/**
 * Whether a question (ui/confirm) is open above the dialog. Mantine sends Escape to every open dialog; it must close
 * only the question and keep the typed values. The question closes first, so this value changes after a delay.
 */
function useIsAskedRef() {
  const isAskedRef = useRef(false)
  const isAsked = useModals().modals.length > 0
  useEffect(() => {
    const follow = setTimeout(() => (isAskedRef.current = isAsked))
    return () => clearTimeout(follow)
  }, [isAsked])
  return isAskedRef
}

function Focused({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    const first = box.current?.querySelector<HTMLElement>(FIRST)
    // read by the dialog's focus trap, which would take the button that closes it
    first?.setAttribute('data-autofocus', '')
    if (first || !box.current) return undefined
    const observer = new MutationObserver(() => {
      const loaded = box.current?.querySelector<HTMLElement>(FIRST)
      if (!loaded) return
      observer.disconnect()
      loaded.focus()
    })
    observer.observe(box.current, { childList: true, subtree: true })
    return () => observer.disconnect()
  }, [])
  useEffect(() => returnFocusSoon, [])
  return <div ref={box}>{children}</div>
}
