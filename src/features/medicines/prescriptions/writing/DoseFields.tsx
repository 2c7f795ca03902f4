import { Button, Checkbox, Fieldset, Group, SimpleGrid, Stack, Text } from '@mantine/core'
import { PickList } from '~/fields/PickList'
import { keepEnter, selectText } from '~/fields/keep-enter'
import { amountText } from '~/records/strength'
import { ROUTES, type AdministrationRoute } from '~/shared/dosage'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import {
  type AmountUnit,
  type Dose,
  FOOD,
  type Often,
  oftenMatching,
  oftenText,
  proposedQuantity,
  totalVolume,
  unitLabel,
  unitsFor,
  usualUnit,
} from './dose'
import { type DoseDraft, toDose, noDose, type PickedDrug } from './prescription-draft'

type Props = {
  drug: PickedDrug
  dose: DoseDraft
  onChange: (dose: DoseDraft) => void
  quantity: number | ''
  onQuantity: (quantity: number) => void
  error?: string
  disabled: boolean
}

/**
 * The frequencies that are usual; any other can come from a program. Typing a number finds its
 * line.
 */
const USUAL: readonly Often[] = [
  ...[1, 2, 3, 4, 5, 6].map((n) => ({ kind: 'times', n }) as const),
  ...[4, 6, 8, 12].map((n) => ({ kind: 'hours', n }) as const),
  ...[2, 7, 14, 28].map((n) => ({ kind: 'days', n }) as const),
  { kind: 'once' },
]
const frequencyKey = (often: Often) => (often.kind === 'once' ? 'once' : `${often.kind}:${often.n}`)

/**
 * The dose as numbers: it is compared with limits, translated on the label, and gives quantity and
 * days' supply.
 */
export function DoseFields({ drug, dose, onChange, quantity, onQuantity, error, disabled }: Props) {
  const say = useSay()
  const shown = { ...dose, unit: dose.unit ?? usualUnit(drug), route: dose.route ?? drug.route }
  const change = (values: Partial<DoseDraft>) => onChange({ ...shown, ...values })
  const offered =
    shown.often && !USUAL.some((one) => frequencyKey(one) === frequencyKey(shown.often!))
      ? [...USUAL, shown.often]
      : USUAL
  const whole = toDose(shown)
  return (
    <Fieldset legend={say('dose.title')} disabled={disabled} p="sm">
      <Stack gap="xs">
        <Text size="xs" c="dimmed">
          {say('dose.hint')}
        </Text>
        <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="sm">
          <NumberBox
            label={say('dose.amount')}
            value={dose.amount}
            onChange={(amount) => change({ amount })}
            max={1_000_000_000}
            error={error}
            aria-invalid={Boolean(error) || undefined}
          />
          <Typed
            label={say('dose.unit')}
            lines={unitsFor(drug).map((unit) => ({ value: unit, label: say(unitLabel(unit)) }))}
            value={shown.unit}
            onChange={(unit) => change({ unit: unit as AmountUnit })}
          />
          <Typed
            label={say('dose.often')}
            lines={offered.map((often) => ({
              value: frequencyKey(often),
              label: oftenText(often, say),
            }))}
            matching={oftenMatching}
            value={dose.often && frequencyKey(dose.often)}
            onChange={(key) =>
              change({ often: offered.find((often) => frequencyKey(often) === key) ?? null })
            }
          />
          <NumberBox
            label={say('dose.daysLabel')}
            value={dose.days}
            onChange={(days) => change({ days })}
            min={1}
            max={3650}
            isWhole
          />
          <PickList
            label={say('dose.food')}
            data={FOOD.map((food) => ({ value: food, label: say(`dose.food_${food}`) }))}
            value={dose.food}
            onChange={(food) => change({ food: food as Dose['food'] })}
            clearable
            autoComplete="off"
          />
          <Typed
            label={say('dose.route')}
            lines={ROUTES.map((route) => ({ value: route, label: say(`drugs.route_${route}`) }))}
            value={shown.route}
            onChange={(route) => change({ route: route as AdministrationRoute })}
          />
          <NumberBox
            label={say('dose.maxLabel')}
            value={dose.max_per_day}
            onChange={(max_per_day) => change({ max_per_day })}
            min={1}
            max={48}
            isWhole
          />
          <Checkbox
            label={say('dose.asNeededLabel')}
            checked={dose.as_needed}
            onChange={(event) => change({ as_needed: event.currentTarget.checked })}
            mt={{ base: 0, sm: 30 }}
          />
        </SimpleGrid>
        <Group gap="sm">
          {whole && (
            <Proposals dose={whole} drug={drug} quantity={quantity} onQuantity={onQuantity} />
          )}
          {(dose.amount !== '' || dose.often) && (
            <Button size="compact-xs" variant="subtle" onClick={() => onChange(noDose)}>
              {say('dose.clear')}
            </Button>
          )}
        </Group>
      </Stack>
    </Fieldset>
  )
}

type Line = { value: string; label: string }
type TypedProps = {
  label: string
  lines: readonly Line[]
  matching?: (lines: readonly Line[], typed: string) => Line[]
  value: string | null
  onChange: (value: string) => void
}

const containing = (lines: readonly Line[], typed: string) =>
  lines.filter(({ label }) => label.toLowerCase().includes(typed.trim().toLowerCase()))

/** A list searched by typing. Enter and leaving take the first line that matches, so nothing typed is lost. */
function Typed({ label, lines, matching = containing, value, onChange }: TypedProps) {
  const say = useSay()
  const shown = lines.find((line) => line.value === value)?.label ?? ''
  return (
    <PickList
      label={label}
      data={lines}
      value={value}
      onChange={(chosen) => chosen && onChange(chosen)}
      filter={({ options, search }) =>
        matching(
          options.filter((option) => 'value' in option),
          search,
        )
      }
      onBlur={({ currentTarget: { value: typed } }) => {
        const [first] = typed.trim() && typed !== shown ? matching(lines, typed) : []
        if (first) onChange(first.value)
      }}
      searchable
      // a list that opens with the first letter forgets its first line
      openOnFocus
      onFocus={selectText}
      onClick={selectText}
      onKeyDown={keepEnter}
      selectFirstOptionOnChange
      allowDeselect={false}
      nothingFoundMessage={say('form.nothingFound')}
      autoComplete="off"
    />
  )
}

function Proposals({
  dose,
  drug,
  quantity,
  onQuantity,
}: Pick<Props, 'drug' | 'quantity' | 'onQuantity'> & { dose: Dose }) {
  const say = useSay()
  const [proposed, volume] = [proposedQuantity(dose, drug), totalVolume(dose, drug)]
  return (
    <>
      {volume !== null && (
        <Text size="sm">
          {say({ key: 'dose.totalVolume', values: { volume: amountText(volume, 'mL', say) } })}
        </Text>
      )}
      {proposed !== null && proposed !== quantity && (
        <Button size="compact-sm" variant="light" onClick={() => onQuantity(proposed)}>
          {say({ key: 'dose.useQuantity', values: { quantity: proposed } })}
        </Button>
      )}
    </>
  )
}
