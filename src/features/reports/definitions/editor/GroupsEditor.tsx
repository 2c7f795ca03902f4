import { Button, Group, Stack, TagsInput, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { CodePicker } from '~/features/care/problem-codes/CodePicker'
import type { Group as CodeGroup } from '~/features/reports/cells/definition'
import { PickSeveral } from '~/fields/PickList'
import type { Language } from '~/shared/language'
import { useSay } from '~/shared/say'
import { NumberBox } from '~/ui/NumberBox'
import {
  type DefinitionUpdater,
  type DefinitionDraft,
  idFrom,
  renamed,
  LIST_BY_SYSTEM,
} from './definition-draft'
import { NamedPart } from './NamedPart'
import { type Path, useProblem } from './problems'

type Props = {
  draft: DefinitionDraft
  change: DefinitionUpdater
  language: Language
  onRemoved: DefinitionUpdater
}

const LISTS = ['icd10', 'icd11', 'snomed'] as const

/** Groups of diagnosis codes, which rows count. */
export function GroupsEditor({ draft, change, language, onRemoved }: Props) {
  const say = useSay()
  const groups = Object.entries(draft.groups ?? {}).toSorted(([a], [b]) => a.localeCompare(b, 'en'))
  const set = (name: string, next: CodeGroup) =>
    change((now) => ({ ...now, groups: { ...now.groups, [name]: next } }))
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {say('reportEditor.groupsLead')}
      </Text>
      {groups.map(([name, group]) => (
        <OneGroup
          key={name}
          {...{ name, group, language }}
          others={groups.map(([other]) => other).filter((other) => other !== name)}
          onChange={(next) => set(name, next)}
          onRename={(to) => change((now) => renamed(now, 'groups', name, to))}
          onRemove={() => {
            onRemoved((now) => ({ ...now, groups: { ...now.groups, [name]: group } }))
            change((now) => {
              const { [name]: _, ...rest } = now.groups ?? {}
              return { ...now, groups: rest }
            })
          }}
        />
      ))}
      {groups.length === 0 && <Text size="sm">{say('reportEditor.groupsEmpty')}</Text>}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() =>
            change((now) => {
              const taken = new Set(Object.keys(now.groups ?? {}))
              return { ...now, groups: { ...now.groups, [idFrom('group', taken)]: { icd10: [] } } }
            })
          }
        >
          {say('reportEditor.addGroup')}
        </Button>
      </Group>
    </Stack>
  )
}

type OneProps = {
  name: string
  group: CodeGroup
  others: readonly string[]
  language: Language
  onChange: (group: CodeGroup) => void
  onRename: (to: string) => void
  onRemove: () => void
}

function OneGroup({ name, group, others, language, onChange, onRename, onRemove }: OneProps) {
  const say = useSay()
  const path: Path = ['groups', name]
  const problem = useProblem(path)
  return (
    <NamedPart
      label={say('reportEditor.groupName')}
      name={name}
      onRename={onRename}
      onRemove={onRemove}
    >
      <CodePicker
        language={language}
        many={{ label: say('reportEditor.findCode') }}
        onPick={({ system, code }) => {
          const list = LIST_BY_SYSTEM[system]
          onChange({ ...group, [list]: [...new Set([...(group[list] ?? []), code])] })
        }}
      />
      {LISTS.filter((list) => list === 'icd10' || group[list]).map((list) => (
        <TagsInput
          key={list}
          label={say(`reportEditor.codes_${list}`)}
          description={list === 'icd10' ? say('reportEditor.codesHint') : undefined}
          value={group[list] ?? []}
          onChange={(codes) => onChange({ ...group, [list]: codes.map((code) => code.trim()) })}
          error={list === 'icd10' && problem && say(problem)}
          dir="ltr"
        />
      ))}
      <Group gap="xs" align="flex-start">
        <NumberBox
          label={say('reportEditor.episodeDays')}
          isWhole
          description={say('reportEditor.episodeHint')}
          value={group.episode_days ?? null}
          onChange={(days) => {
            const { episode_days: _, ...rest } = group
            onChange(days === '' ? rest : { ...rest, episode_days: days })
          }}
          min={0}
          max={3660}
          flex="1 1 12rem"
        />
        <PickSeveral
          label={say('reportEditor.except')}
          description={say('reportEditor.exceptHint')}
          value={group.except ?? []}
          onChange={(except) => {
            const { except: _, ...rest } = group
            onChange(except.length > 0 ? { ...rest, except } : rest)
          }}
          data={[...new Set([...others, ...(group.except ?? [])])]}
          searchable
          hidePickedOptions
          nothingFoundMessage={say('form.nothingFound')}
          flex="2 1 14rem"
        />
      </Group>
    </NamedPart>
  )
}
