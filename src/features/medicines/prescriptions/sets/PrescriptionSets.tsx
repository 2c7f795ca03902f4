import { Alert, Button, List } from '@mantine/core'
import { useState } from 'react'
import type { Sayable } from '~/shared/say'
import { useSay } from '~/shared/say'
import type { DraftItem, PrescriptionDraft } from '../writing/prescription-draft'
import { SaveSetDialog } from './SaveSetDialog'
import { itemsOfSet, noteOfSet } from './used-set'
import { UseSetDialog } from './UseSetDialog'

type Props = {
  draft: PrescriptionDraft
  /** The pickup clinic, to users who administer it. */
  clinic: { id: string; name: string } | null
  disabled: boolean
  onAdd: (items: DraftItem[], notes: Sayable[]) => void
}

/** Adds the medicines of a saved set to the form, or saves those of the form as a set. */
export function PrescriptionSets({ draft, clinic, disabled, onAdd }: Props) {
  const say = useSay()
  const [open, setOpen] = useState<'use' | 'save' | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      {draft.patient && (
        <Button variant="default" disabled={disabled} onClick={() => setOpen('use')}>
          {say('prescriptionSets.use')}
        </Button>
      )}
      {draft.items.some(({ drug }) => drug) && (
        <Button variant="subtle" disabled={disabled} onClick={() => setOpen('save')}>
          {say('prescriptionSets.save')}
        </Button>
      )}
      {open === 'use' && draft.patient && (
        <UseSetDialog
          patientId={draft.patient.id}
          onUse={({ items }) =>
            onAdd(
              itemsOfSet(items, say),
              items.flatMap((item) => noteOfSet(item) ?? []),
            )
          }
          onClose={close}
        />
      )}
      {open === 'save' && <SaveSetDialog {...{ draft, clinic }} onClose={close} />}
    </>
  )
}

/** What was filled in from a weight band, and what was not filled in. */
export function SetNotes({ notes }: { notes: readonly Sayable[] }) {
  const say = useSay()
  if (notes.length === 0) return null
  return (
    <Alert color="yellow" title={say('prescriptionSets.check')}>
      <List size="sm">
        {notes.map((note) => (
          <List.Item key={say(note)}>{say(note)}</List.Item>
        ))}
      </List>
    </Alert>
  )
}
