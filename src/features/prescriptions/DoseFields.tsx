import { Button, Checkbox, Fieldset, Group, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { keepEnter } from '~/fields/keep-enter'
import { amountText } from '~/records/strength'
import { ROUTES, type Route } from '~/shared/dosage'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import {
  AMOUNT_UNITS,
  type AmountUnit,
  type Dose,
  FOOD,
  type Often,
  oftenMatching,
  oftenText,
  proposedQuantity,
  totalVolume,
  unitLabel,
  usualUnit,
} from './dose'
import { type DoseDraft, doseOf, noDose, type PickedDrug } from './prescription-draft'

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
const keyOf = (often: Often) => (often.kind === 'once' ? 'once' : `${often.kind}:${often.n}`)

/**
 * The dose as numbers: it is compared with limits, translated on the label, and gives quantity and
 * days' supply.
 */
export function DoseFields({ drug, dose, onChange, quantity, onQuantity, error, disabled }: Props) {
  const say = useSay()
  const shown = { ...dose, unit: dose.unit ?? usualUnit(drug), route: dose.route ?? drug.route }
  const change = (values: Partial<DoseDraft>) => onChange({ ...shown, ...values })
  const offered =
    shown.often && !USUAL.some((one) => keyOf(one) === keyOf(shown.often!))
      ? [...USUAL, shown.often]
      : USUAL
  const whole = doseOf(shown)
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
            error={error}
            aria-invalid={Boolean(error) || undefined}
          />
          <Select
            label={say('dose.unit')}
            data={AMOUNT_UNITS.map((unit) => ({ value: unit, label: say(unitLabel(unit)) }))}
            value={shown.unit}
            onChange={(unit) => unit && change({ unit: unit as AmountUnit })}
            searchable
            openOnFocus
            onKeyDown={keepEnter}
            selectFirstOptionOnChange
            allowDeselect={false}
            autoComplete="off"
          />
          <Select
            label={say('dose.often')}
            data={offered.map((often) => ({ value: keyOf(often), label: oftenText(often, say) }))}
            value={dose.often && keyOf(dose.often)}
            onChange={(key) =>
              change({ often: offered.find((often) => keyOf(often) === key) ?? null })
            }
            filter={({ options, search }) =>
              oftenMatching(
                options.filter((option) => 'value' in option),
                search,
              )
            }
            searchable
            // a list that opens with the first letter forgets its first line, and Enter would submit the form
            openOnFocus
            onKeyDown={keepEnter}
            selectFirstOptionOnChange
            autoComplete="off"
          />
          <NumberBox
            label={say('dose.daysLabel')}
            value={dose.days}
            onChange={(days) => change({ days })}
            min={1}
            max={3650}
          />
          <Select
            label={say('dose.food')}
            data={FOOD.map((food) => ({ value: food, label: say(`dose.food_${food}`) }))}
            value={dose.food}
            onChange={(food) => change({ food: food as Dose['food'] })}
            clearable
            autoComplete="off"
          />
          <Select
            label={say('dose.route')}
            data={ROUTES.map((route) => ({ value: route, label: say(`drugs.route_${route}`) }))}
            value={shown.route}
            onChange={(route) => route && change({ route: route as Route })}
            searchable
            allowDeselect={false}
            autoComplete="off"
          />
          <NumberBox
            label={say('dose.maxLabel')}
            value={dose.max_per_day}
            onChange={(max_per_day) => change({ max_per_day })}
            min={1}
            max={48}
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
