import { useState } from 'react'
import { useSay } from '~/shared/say'
import { CancelButton } from '~/ui/CancelButton'
import { Dialog } from '~/ui/Dialog'
import { FieldForm } from '~/ui/FieldForm'
import { appPasswordFields } from '../session'
import { AppPasswordCode } from './AppPasswordCode'
import { useCreated } from './created'

/** Names a phone and shows its password once. */
export function AppPasswordDialog({ onClose }: { onClose: () => void }) {
  const say = useSay()
  const create = useCreated()
  const [code, setCode] = useState<string | null>(null)
  return (
    <Dialog
      onClose={onClose}
      // a stray click or Escape must not close what is shown once
      closeOnClickOutside={code === null}
      closeOnEscape={code === null}
      title={say('appPasswords.add')}
      closeButtonProps={{ 'aria-label': say('common.close') }}
    >
      {code ? (
        <AppPasswordCode code={code} onKept={onClose} />
      ) : (
        <FieldForm
          fields={appPasswordFields}
          submit="appPasswords.create"
          cancel={<CancelButton onClick={onClose} />}
          onSubmit={async (values) => setCode(await create(values))}
        />
      )}
    </Dialog>
  )
}
