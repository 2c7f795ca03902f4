import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import type { Sayable } from '~/shared/say'
import { useSay } from '~/shared/say'
import { PrescriptionSets, SetNotes } from '../sets/PrescriptionSets'
import { MedicationCard } from './MedicationCard'
import { type DraftItem, newItem, type PrescriptionDraft, wholeIds } from './prescription-draft'

type Card = ComponentProps<typeof MedicationCard>

type Props = {
  draft: PrescriptionDraft
  change: (values: Pick<PrescriptionDraft, 'items'>) => void
  /** The ids of the items whose cards are folded. */
  folded: ReadonlySet<string>
  onFolded: (folded: ReadonlySet<string>) => void
  /** What the form knows of the item at this place. */
  card: (
    item: DraftItem,
    at: number,
  ) => Pick<Card, 'stock' | 'answers' | 'warnings' | 'errors' | 'onChange'>
  /** The clinic that a set can be saved for. */
  setsOf: ComponentProps<typeof PrescriptionSets>['clinic']
  setNotes: readonly Sayable[]
  /** The medicines of a set were added. */
  onSet: (items: DraftItem[], notes: Sayable[]) => void
  onAdded: () => void
  /** The first medicine takes the focus when the screen opens. */
  startsFocused: boolean
  mayChange: boolean
  disabled: boolean
  children: ReactNode
}

/** The medicines of the form, one card each; those that are filled in fold to a line when the next is added. */
export function Medications(props: Props) {
  const { draft, change, folded, onFolded, card, setsOf, setNotes, onSet, onAdded } = props
  const { startsFocused, mayChange, disabled, children } = props
  const say = useSay()
  const titleId = useId()
  const [focused, setFocused] = useState(startsFocused ? draft.items[0]?.id : undefined)
  const fold = (items: readonly DraftItem[]) => onFolded(new Set([...folded, ...wholeIds(items)]))
  function add() {
    const item = newItem()
    fold(draft.items)
    change({ items: [...draft.items, item] })
    setFocused(item.id)
    onAdded()
  }
  return (
    <Paper withBorder p="md" component="section" aria-labelledby={titleId}>
      <Stack gap="sm">
        <Title order={2} size="h3" id={titleId}>
          {say('prescriptions.medications')}
        </Title>
        <SetNotes notes={setNotes} />
        {draft.items.length === 0 && (
          <Text c="dimmed" size="sm" ta="center" py="lg">
            {say('prescriptions.noMedications')}
          </Text>
        )}
        {draft.items.map((item, at) => (
          <MedicationCard
            key={item.id}
            number={at + 1}
            item={item}
            {...card(item, at)}
            isFolded={folded.has(item.id)}
            onFold={(isFolded) => {
              const others = [...folded].filter((id) => id !== item.id)
              onFolded(new Set(isFolded ? [...others, item.id] : others))
            }}
            startsFocused={item.id === focused}
            disabled={disabled}
            onRemove={() => change({ items: draft.items.filter(({ id }) => id !== item.id) })}
          />
        ))}
        {mayChange && (
          <Group gap="xs">
            <Button
              variant="default"
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={add}
              disabled={disabled}
            >
              {say('prescriptions.addMedication')}
            </Button>
            <PrescriptionSets
              draft={draft}
              clinic={setsOf}
              disabled={disabled}
              onAdd={(items, notes) => {
                // the empty medicine of a new prescription is not kept beside them
                const begun = draft.items.filter(
                  ({ drug, notes: text, dosage_instructions }) =>
                    drug || text || dosage_instructions,
                )
                fold([...begun, ...items])
                change({ items: [...begun, ...items] })
                onSet(items, notes)
                onAdded()
              }}
            />
          </Group>
        )}
        {children}
      </Stack>
    </Paper>
  )
}
