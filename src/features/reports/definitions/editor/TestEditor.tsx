import { ActionIcon, Button, Fieldset, Group, Paper, Stack, Text } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { relatedSource, type Comparison, type Test } from '~/features/reports/cells/definition'
import {
  sourceFields,
  type Op,
  OPS,
  opsOf,
  type ReportSource,
  sourceNames,
} from '~/features/reports/cells/fields'
import { PickList } from '~/fields/PickList'
import { useSay } from '~/shared/say'
import {
  emptyValue,
  isList,
  toTestList,
  TEST_LIST_MATCHES,
  newTest,
  fromTestList,
  withField,
} from './definition-draft'
import { type Path, useProblem } from './problems'
import { fieldLabel, opLabel, sourceLabel } from './report-words'
import { TestValue } from './TestValue'
import { WindowPicker } from './WindowPicker'

type Props = {
  label: string
  source: ReportSource
  test: Test | undefined
  /** Names of the groups of codes. */
  groups: readonly string[]
  path: Path
  onChange: (test: Test | undefined) => void
  depth?: number
}

/** Deeper conditions are written as JSON. */
const DEEPEST = 4

/**
 * Which rows are counted: field, comparison, value; all of them must hold, any, none or not all. A
 * group of conditions counts as one.
 */
export function TestEditor({ label, source, test, groups, path, onChange, depth = 1 }: Props) {
  const say = useSay()
  const list = toTestList(test)
  const { match, tests } = list
  const problem = useProblem(path)
  const keep = (next: Test[]) => onChange(fromTestList({ match, tests: next }))
  const set = (at: number, next: Test | undefined) =>
    keep(next === undefined ? tests.toSpliced(at, 1) : tests.with(at, next))
  const add = (next: Test) => keep([...tests, next])
  const testPath = (at: number): Path => {
    if (!test || Array.isArray(test) || tests.length === 0) return path
    if ('all' in test) return [...path, 'all', at]
    if ('any' in test) return [...path, 'any', at]
    return 'not' in test ? [...path, 'not'] : path
  }
  return (
    <Fieldset variant="unstyled" aria-label={label}>
      <Stack gap={6}>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        {(tests.length > 1 || match !== 'all') && (
          <PickList
            aria-label={say('reportEditor.match')}
            size="sm"
            value={match}
            onChange={(value) => {
              const next = TEST_LIST_MATCHES.find((one) => one === value)
              if (next) onChange(fromTestList({ match: next, tests }))
            }}
            data={TEST_LIST_MATCHES.map((value) => ({
              value,
              label: say(`reportEditor.match_${value}`),
            }))}
            allowDeselect={false}
            maw="18rem"
          />
        )}
        {tests.map((each, at) => (
          // tests have no id of their own: their place tells them apart
          // oxlint-disable-next-line react/no-array-index-key
          <Group key={at} gap={6} align="flex-start" wrap="nowrap">
            <OneTest
              {...{ source, groups, depth }}
              test={each}
              number={at + 1}
              path={testPath(at)}
              onChange={(next) => set(at, next)}
            />
            <ActionIcon
              variant="default"
              size="input-sm"
              onClick={() => set(at, undefined)}
              aria-label={say({ key: 'reportEditor.removeTest', values: { number: at + 1 } })}
            >
              <IconX size={14} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {problem && (
          <Text size="sm" c="var(--mantine-color-error)" role="alert">
            {say(problem)}
          </Text>
        )}
        <Group gap={6}>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => add(newTest(source))}
          >
            {say('reportEditor.addTest')}
          </Button>
          {depth < DEEPEST && tests.length > 0 && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => add({ any: [newTest(source)] })}
            >
              {say('reportEditor.addTests')}
            </Button>
          )}
          {depth < DEEPEST && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => add({ exists: 'visits', in: 'period' })}
            >
              {say('reportEditor.addOther')}
            </Button>
          )}
        </Group>
      </Stack>
    </Fieldset>
  )
}

type OneProps = {
  source: ReportSource
  test: Test
  number: number
  groups: readonly string[]
  path: Path
  depth: number
  onChange: (test: Test | undefined) => void
}

function OneTest(props: OneProps) {
  const { test, source, groups, path, depth, number, onChange } = props
  const say = useSay()
  if (Array.isArray(test)) return <ComparisonRow {...props} test={test} />
  const nested = { groups, depth: depth + 1 }
  if (isList(test))
    return (
      <Paper withBorder p="xs" flex={1} miw={0}>
        <TestEditor
          {...nested}
          label={say({ key: 'reportEditor.tests', values: { number } })}
          {...{ source, test, path, onChange }}
        />
      </Paper>
    )
  return <OtherRows {...props} />
}

/** A condition about other rows of the same patient: there is one, the latest is so, or this is the n-th. */
function OtherRows({ test, source, groups, path, depth, onChange }: OneProps) {
  const say = useSay()
  if (Array.isArray(test) || 'all' in test || 'any' in test || 'not' in test) return null
  const [kind, inner] = relatedSource(test)
  const where = 'where' in test ? test.where : undefined
  const window = 'in' in test ? test.in : ('period' as const)
  const nested = { groups, depth: depth + 1, source: inner }
  const make = (nextKind: string, from: ReportSource): Test => {
    const filter = from === inner && where ? { where } : {}
    if (nextKind === 'latest') {
      const is =
        'is' in test && typeof test.is === 'object' && from === inner ? test.is : newTest(from)
      return { latest: from, ...filter, in: window, is }
    }
    if (nextKind === 'nth')
      return {
        nth: source,
        ...filter,
        is: 'is' in test && typeof test.is === 'number' ? test.is : 1,
      }
    return { exists: from, ...filter, in: window }
  }
  const withWhere = (next: Test | undefined): Test => {
    const { where: _, ...rest } = test as { where?: Test }
    return { ...rest, ...(next && { where: next }) } as Test
  }
  return (
    <Paper withBorder p="xs" flex={1} miw={0}>
      <Stack gap={6}>
        <Group gap={6} align="flex-end">
          <PickList
            aria-label={say('reportEditor.otherKind')}
            value={kind}
            onChange={(value) => value && onChange(make(value, inner))}
            data={(['exists', 'latest', 'nth'] as const).map((value) => ({
              value,
              label: say(`reportEditor.other_${value}`),
            }))}
            allowDeselect={false}
            flex="1 1 10rem"
          />
          {kind !== 'nth' && (
            <PickList
              aria-label={say('reportEditor.source')}
              value={inner}
              onChange={(value) => {
                const next = sourceNames.find((one) => one === value)
                if (next) onChange(make(kind, next))
              }}
              data={sourceNames.map((value) => ({ value, label: say(sourceLabel(value)) }))}
              allowDeselect={false}
              searchable
              nothingFoundMessage={say('form.nothingFound')}
              flex="1 1 10rem"
            />
          )}
          {'nth' in test && (
            <TestValue
              type="number"
              op="is"
              value={test.is}
              groups={groups}
              onChange={(value) => typeof value === 'number' && onChange({ ...test, is: value })}
            />
          )}
        </Group>
        {'in' in test && (
          <WindowPicker
            source={inner}
            outer={source}
            window={test.in}
            onChange={(next) => onChange({ ...test, in: next })}
          />
        )}
        <TestEditor
          {...nested}
          label={say('reportEditor.where')}
          test={where}
          path={[...path, 'where']}
          onChange={(next) => onChange(withWhere(next))}
        />
        {'latest' in test && (
          <TestEditor
            {...nested}
            label={say('reportEditor.latestIs')}
            test={test.is}
            path={[...path, 'is']}
            onChange={(next) => onChange({ ...test, is: next ?? newTest(inner) })}
          />
        )}
      </Stack>
    </Paper>
  )
}

function ComparisonRow({
  source,
  test: [field, op, value],
  groups,
  onChange,
}: OneProps & { test: Comparison }) {
  const say = useSay()
  const fields = sourceFields(source)
  const { type, options } = fields[field] ?? { type: 'text' as const, options: undefined }
  const ops: readonly Op[] = opsOf[type].includes(op) ? opsOf[type] : [...opsOf[type], op]
  // a column for each clinic says it better than its id
  const offered = Object.keys(fields).filter((name) => name !== 'row.clinic')
  const names = [...new Set([field, ...offered])].toSorted(
    // what the source itself has comes before what is known of each patient
    (a, b) => Number(a.startsWith('patient.')) - Number(b.startsWith('patient.')),
  )
  return (
    <Group gap={6} align="flex-start" flex={1} miw={0}>
      <PickList
        aria-label={say('reportEditor.field')}
        value={field}
        onChange={(next) => next && next !== field && onChange(withField(source, next))}
        data={names.map((name) => ({
          value: name,
          label: name in fields ? say(fieldLabel(name)) : name,
        }))}
        searchable
        allowDeselect={false}
        nothingFoundMessage={say('form.nothingFound')}
        flex="2 1 11rem"
      />
      <PickList
        aria-label={say('reportEditor.op')}
        value={op}
        onChange={(chosen) => {
          const next = OPS.find((one) => one === chosen)
          if (!next || next === op) return
          const isKept = ![next, op].includes('in') && ![next, op].includes('isSet')
          onChange([field, next, isKept ? value : emptyValue(type, next, options)])
        }}
        data={ops.map((one) => ({ value: one, label: say(opLabel(one)) }))}
        allowDeselect={false}
        flex="1 1 8rem"
      />
      <TestValue
        {...{ type, op, value, groups }}
        options={options}
        onChange={(next) => onChange([field, op, next])}
      />
    </Group>
  )
}
