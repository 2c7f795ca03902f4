// oxlint-disable react/no-array-index-key -- a page of the guide does not change while it is read
import { Anchor, Code, List, Stack, Table, Text, Title } from '@mantine/core'
import { Fragment, type ReactNode } from 'react'
import { LinkAnchor } from '~/client/links'
import type { Block, Inline } from './markdown'

/** A page of the guide, without its first heading: that is the screen's. */
export const GuideText = ({ blocks }: { blocks: readonly Block[] }) => (
  <Stack gap="md">
    {blocks.map((block, index) => (
      <OneBlock key={index} block={block} />
    ))}
  </Stack>
)

function OneBlock({ block }: { block: Block }): ReactNode {
  switch (block.kind) {
    case 'heading':
      return <Title order={block.level === 3 ? 3 : 2}>{spoken(block.line)}</Title>
    case 'paragraph':
      return <Text>{spoken(block.line)}</Text>
    case 'code':
      return (
        <Code block dir="ltr" tabIndex={0}>
          {block.text}
        </Code>
      )
    case 'list':
      return (
        <List type={block.ordered ? 'ordered' : 'unordered'} spacing="xs" ps="md">
          {block.items.map((item, index) => (
            <List.Item key={index}>{spoken(item)}</List.Item>
          ))}
        </List>
      )
    case 'table':
      return (
        <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
          <Table withTableBorder>
            <Table.Thead>
              <Table.Tr>
                {block.head.map((cell, index) => (
                  <Table.Th key={index} scope="col">
                    {spoken(cell)}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {block.rows.map((row, index) => (
                <Table.Tr key={index}>
                  {row.map((cell, column) => (
                    <Table.Td key={column}>{spoken(cell)}</Table.Td>
                  ))}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )
  }
}

/** A block that scrolls (`overflow: auto`) would stand above the line instead of on it. */
const INLINE_CODE = {
  display: 'inline-block',
  maxWidth: '100%',
  overflow: 'visible',
  overflowWrap: 'anywhere',
  whiteSpace: 'normal',
  paddingBlock: 0,
} as const

const spoken = (line: readonly Inline[]) =>
  line.map((piece, index) => <Fragment key={index}>{onePiece(piece)}</Fragment>)

function onePiece({ text, style, href }: Inline): ReactNode {
  if (style === 'bold') return <b>{text}</b>
  if (style === 'code')
    return (
      // one piece, whatever the direction of the line it stands in; a long one breaks on a phone
      <Code dir="ltr" fz="inherit" style={INLINE_CODE}>
        {text}
      </Code>
    )
  const page = href && /^([\w-]+)\.md$/.exec(href)?.[1]
  if (page)
    return (
      <LinkAnchor fz="inherit" underline="always" to={`/app/help/${page}` as string}>
        {text}
      </LinkAnchor>
    )
  if (href?.startsWith('https://')) {
    return (
      <Anchor fz="inherit" underline="always" href={href} rel="noreferrer" target="_blank">
        {text}
      </Anchor>
    )
  }
  return text
}
