import {
  ActionIcon,
  Badge,
  Collapse,
  Group,
  Paper,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
  UnstyledButton,
} from '@mantine/core'
import { IconChevronDown, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useId, useState } from 'react'
import { DoseIsText, NotOnLists } from '~/features/medicines/safety/Answers'
import type { MedicineAnswers } from '~/features/medicines/safety/rules/warning'
import { tallMan } from '~/features/medicines/drugs/tall-man'
import { PickList } from '~/fields/PickList'
import {
  ITEM_STATUSES,
  type ItemStatus,
  itemStatusLabel,
  prescriptionItemRecord,
} from '~/records/prescription'
import { strength } from '~/records/strength'
import type { MessageKey } from '~/shared/language'
import { type Sayable, useSay } from '~/shared/say'
import type { FieldErrors } from '~/ui/form'
import { Details } from '~/ui/Details'
import { NumberBox } from '~/ui/NumberBox'
import { doseText, proposedQuantity } from './dose'
import { DoseFields } from './DoseFields'
import { MedicationPicker } from './MedicationPicker'
import classes from './MedicationCard.module.css'
import {
  type DoseDraft,
  toDose,
  type DraftItem,
  noDose,
  type PickedDrug,
} from './prescription-draft'
import { unsafeNotations } from './unsafe-notations'
import type { useClinicStock } from './clinic-stock'

const { fields } = prescriptionItemRecord

type Props = {
  /** From 1. */
  number: number
  item: DraftItem
  stock: ReturnType<typeof useClinicStock>
  /** What the safety check answered about this medicine. */
  answers: MedicineAnswers | undefined
  /** The warnings about this medicine. */
  warnings: ReactNode
  errors: FieldErrors
  disabled: boolean
  onChange: (change: Partial<DraftItem>) => void
  onRemove: () => void
}

/** One medicine of the form: medicine, dose, quantity. Rarely changed fields can be collapsed. */
export function MedicationCard({
  number,
  item,
  stock,
  answers,
  warnings,
  errors,
  disabled,
  onChange,
  onRemove,
}: Props) {
  const say = useSay()
  const bodyId = useId()
  const [isFolded, setFolded] = useState(false)
  const errorAt = (name: string) => errors[name] && say(errors[name])
  const frame = (name: string) => ({
    error: errorAt(name),
    'aria-invalid': Boolean(errors[name]) || undefined,
    disabled,
  })
  const { amount, days, max_per_day } = item.dose
  const numbers = [item.quantity, item.refills, amount, days, max_per_day]
  const hasNoNumber = numbers.some((each) => Number.isNaN(each))
  // an error must not be hidden in a folded card
  const isOpen = !isFolded || Object.keys(errors).some((name) => name !== 'drug_id') || hasNoNumber
  const title = say({ key: 'prescriptions.medicationNumber', values: { number } })
  const mayRemove = item.quantity_dispensed === 0
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap" gap="xs">
          <UnstyledButton
            onClick={() => setFolded(isOpen && !hasNoNumber)}
            aria-expanded={isOpen}
            aria-controls={bodyId}
            aria-label={say({
              key: isOpen ? 'prescriptions.fold' : 'prescriptions.unfold',
              values: { title },
            })}
            className={classes.toggle}
          >
            <Group gap="xs" wrap="nowrap">
              <IconChevronDown
                size={18}
                aria-hidden
                className={classes.chevron}
                data-open={isOpen || undefined}
              />
              <Text fw={600}>{title}</Text>
            </Group>
          </UnstyledButton>
          <Group gap="xs" wrap="nowrap">
            <ItemBadge status={item.item_status} />
            <ActionIcon
              variant="subtle"
              color="red"
              aria-label={say({ key: 'prescriptions.removeMedication', values: { title } })}
              title={mayRemove ? undefined : say('prescriptions.itemDispensed')}
              onClick={onRemove}
              disabled={disabled || !mayRemove}
            >
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          </Group>
        </Group>
        <MedicationPicker
          value={item.drug}
          onChange={(drug) => onChange({ drug, dose: noDose })}
          stock={stock}
          error={errorAt('drug_id')}
          disabled={disabled || item.quantity_dispensed > 0}
        />
        {warnings}
        {item.drug && <DrugPanel drug={withStock(item.drug, stock)} />}
        {item.drug && <NotOnLists answers={withoutText(answers)} />}
        <Collapse expanded={isOpen} id={bodyId}>
          <Stack gap="sm">
            {item.drug && (
              <DoseFields
                drug={item.drug}
                dose={item.dose}
                onChange={(dose) => onChange(dosed(item, dose, say))}
                quantity={item.quantity}
                onQuantity={(quantity) => onChange({ quantity })}
                error={errorAt('dose')}
                disabled={disabled}
              />
            )}
            <TextInput
              {...frame('dosage_instructions')}
              label={say(fields.dosage_instructions.label)}
              placeholder={say('prescriptions.dosageExample')}
              value={item.dosage_instructions}
              // typed instructions replace the numbers: the two must not differ
              onChange={(event) =>
                onChange({ dosage_instructions: event.currentTarget.value, dose: noDose })
              }
              withAsterisk
              aria-required
              maxLength={1000}
              dir="auto"
              autoComplete="off"
            />
            {item.drug && item.dosage_instructions.trim() && !toDose(item.dose) && <DoseIsText />}
            <UnsafeNotations text={item.dosage_instructions} />
            <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm">
              <NumberBox
                {...frame('quantity_prescribed')}
                label={say(fields.quantity_prescribed.label)}
                value={item.quantity}
                onChange={(quantity) => onChange({ quantity })}
                min={1}
                max={1_000_000}
                fallback={1}
                withAsterisk
                aria-required
              />
              <NumberBox
                {...frame('refills_authorized')}
                label={say(fields.refills_authorized.label)}
                value={item.refills}
                onChange={(refills) => onChange({ refills })}
                min={0}
                max={1000}
                isWhole
                fallback={0}
              />
              <PickList
                {...frame('item_status')}
                label={say(fields.item_status.label)}
                data={ITEM_STATUSES.map((status) => ({
                  value: status,
                  label: say(itemStatusLabel(status)),
                }))}
                value={item.item_status}
                onChange={(status) => status && onChange({ item_status: status as ItemStatus })}
                allowDeselect={false}
              />
            </SimpleGrid>
            <Textarea
              {...frame('notes')}
              label={say(fields.notes.label)}
              value={item.notes}
              onChange={(event) => onChange({ notes: event.currentTarget.value })}
              rows={2}
              maxLength={1000}
              dir="auto"
            />
          </Stack>
        </Collapse>
      </Stack>
    </Paper>
  )
}

/**
 * The draft with another dose: the instructions are made of it, and the quantity follows while it
 * is as proposed.
 */
function dosed(
  item: DraftItem,
  dose: DoseDraft,
  say: (what: Sayable) => string,
): Partial<DraftItem> {
  const whole = toDose(dose)
  if (!whole || !item.drug) return { dose }
  const before = toDose(item.dose)
  const [was, proposed] = [
    before && proposedQuantity(before, item.drug),
    proposedQuantity(whole, item.drug),
  ]
  const isUntouched = item.quantity === '' || item.quantity === (was ?? 1)
  return {
    dose,
    dosage_instructions: doseText(whole, item.drug, say),
    ...(proposed !== null && isUntouched && { quantity: proposed }),
  }
}

/** That the dose is text is said beside its box. */
const withoutText = (answers: MedicineAnswers | undefined) =>
  answers && {
    ...answers,
    answers: answers.answers.filter((one) => one.answer !== 'not_listed' || one.because !== 'text'),
  }

/** Notations known to be misread, with the right writing; nothing is changed automatically. */
function UnsafeNotations({ text }: { text: string }) {
  const say = useSay()
  return (
    <Text size="sm" component="output" display="block" c="var(--mantine-color-text)" fw={500}>
      {unsafeNotations(text).map(say).join('. ')}
    </Text>
  )
}

/** Active stands out, cancelled warns, the others are quiet. */
export function ItemBadge({ status }: { status: ItemStatus }) {
  const say = useSay()
  const look = { active: {}, cancelled: { color: 'red.9' } }[status as string] ?? {
    variant: 'default',
  }
  return (
    <Badge {...look} tt="none" fw={500} radius="sm" style={{ flexShrink: 0 }}>
      {say(itemStatusLabel(status))}
    </Badge>
  )
}

/** The clinic's stock list is newer than the stock that was read with the prescription. */
const withStock = (drug: PickedDrug, { items, isLoading, error }: Props['stock']): PickedDrug => {
  const held = items.find(({ drug_id }) => drug_id === drug.drug_id)
  const notHeld = isLoading || error ? drug.quantity : 0
  return { ...drug, quantity: held ? held.quantity : notHeld }
}

function DrugPanel({ drug }: { drug: PickedDrug }) {
  const say = useSay()
  const plain = (key: string, label: MessageKey, value: string | null) => ({
    key,
    label,
    cell: () => <bdi>{value || '—'}</bdi>,
  })
  return (
    <Paper p="sm" bg="var(--sanad-canvas)" radius="md">
      <Details
        row={drug}
        columns={[
          plain('generic_name', 'prescriptions.genericName', tallMan(drug.generic_name)),
          plain('brand_name', 'prescriptions.brandName', drug.brand_name),
          plain('form', 'prescriptions.form', say(`drugs.form_${drug.form}`)),
          plain('route', 'prescriptions.route', say(`drugs.route_${drug.route}`)),
          plain('dosage', 'prescriptions.dosage', strength(drug, say)),
          plain(
            'quantity',
            'prescriptions.quantityRemaining',
            drug.quantity === null
              ? null
              : say({ key: 'prescriptions.left', values: { count: drug.quantity } }),
          ),
        ]}
      />
    </Paper>
  )
}
