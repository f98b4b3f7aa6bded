import { Badge, Code, NativeSelect, Stack, Table, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import { useTexts } from "../i18n/texts";
import { fieldsOf } from "../model/jsonschema";
import type { Kind, Model } from "../model/kinds";
import { PageLink } from "../shell/links";
import { WideTable } from "../shell/WideTable";

interface Props {
  model: Model;
  name?: string;
  onChoose: (name: string | undefined) => void;
}

/** One kind in words. */
export function Explain({ model, name, onChoose }: Props) {
  const t = useTexts();
  const kind = name === undefined ? undefined : model.kind(name);
  return (
    <Stack mt="md" gap="sm" component="section" aria-label={t("schema.explain")}>
      <NativeSelect label={t("common.kind")} value={kind?.name ?? ""} maw={360} data={["", ...model.kinds.map((k) => k.name)]} onChange={(e) => onChoose(e.currentTarget.value || undefined)} />
      {kind ? <KindInWords model={model} kind={kind} /> : <Text>{t("schema.chooseKind")}</Text>}
    </Stack>
  );
}

function KindInWords({ model, kind }: { model: Model; kind: Kind }) {
  const t = useTexts();
  return (
    <>
      <Title order={2} size="h3">
        {kind.name}
      </Title>
      {kind.description && <Text>{kind.description}</Text>}
      <Table withRowBorders={false} verticalSpacing={4} w="auto">
        <Table.Tbody>
          <Fact name={t("schema.parentKind")}>{kind.parent ? <KindLink name={kind.parent} /> : t("schema.topLevel")}</Fact>
          <Fact name={t("schema.keyElements")}>
            <code>{kind.key.join(" / ")}</code>
          </Fact>
          <Fact name={t("common.children")}>
            <KindLinks names={model.childKinds(kind).map((child) => child.name)} />
          </Fact>
          {kind.references?.map((reference) => (
            <Fact key={reference.sentence} name={t("schema.refersToKinds")}>
              <KindLinks names={reference.to} /> — {reference.sentence}
            </Fact>
          ))}
          <Fact name={t("schema.referredBy")}>
            <KindLinks names={kind.referencedBy ?? []} />
          </Fact>
          {kind.collections?.map(({ path }) => (
            <Fact key={path} name={t("schema.servedAt")}>
              <code>/v2{path}</code>
            </Fact>
          ))}
          {kind.actions?.map((action) => (
            <Fact key={action.path} name={t("common.actions")}>
              <code>
                {action.method} …/{action.path}
              </code>
            </Fact>
          ))}
          {kind.content?.map((part) => (
            <Fact key={part.name} name={t("common.files")}>
              <code>{part.name}</code> {part.required && t("schema.required")}
            </Fact>
          ))}
          <Fact name={t("schema.definedAt")}>
            <code>{kind.definedAt}</code>
          </Fact>
        </Table.Tbody>
      </Table>
      {!kind.abstract && (
        <PageLink to="/explorer" search={{ by: "name", kind: kind.name }}>
          {t("schema.showDocuments")}
        </PageLink>
      )}
      <Fields kind={kind} />
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" style={{ verticalAlign: "top", whiteSpace: "nowrap" }}>
        {name}
      </Table.Th>
      <Table.Td>{children}</Table.Td>
    </Table.Tr>
  );
}

function KindLink({ name }: { name: string }) {
  return (
    <PageLink to="/schema" search={{ kind: name }}>
      {name}
    </PageLink>
  );
}

function KindLinks({ names }: { names: string[] }) {
  const t = useTexts();
  if (names.length === 0) return t("common.none");
  return names.map((name, i) => (
    <span key={name}>
      {i > 0 && ", "}
      <KindLink name={name} />
    </span>
  ));
}

function Fields({ kind }: { kind: Kind }) {
  const t = useTexts();
  const fields = fieldsOf(kind.schema);
  if (fields.length === 0) return <Text c="dimmed">{t("schema.noFields")}</Text>;
  return (
    <Table.ScrollContainer minWidth={560} type="native" tabIndex={0}>
      <WideTable captionSide="top">
        <Table.Caption>{t("schema.fields")}</Table.Caption>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t("schema.field")}</Table.Th>
            <Table.Th>{t("schema.type")}</Table.Th>
            <Table.Th>{t("schema.meaning")}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {fields.map((field) => (
            <Table.Tr key={field.path}>
              <Table.Td>
                <Code>{field.path}</Code> {field.required && <Badge size="sm" variant="default" tt="none">{t("schema.required")}</Badge>}
              </Table.Td>
              <Table.Td>{field.types.join(", ")}</Table.Td>
              <Table.Td>
                {field.description} {field.values.length > 0 && t("schema.oneOfValues", { values: field.values.join(", ") })}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </WideTable>
    </Table.ScrollContainer>
  );
}
