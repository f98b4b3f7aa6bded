import classes from "./Home.module.css";

const width = 56;
const height = 16;

/** A small line of numbers, which says nothing that the text beside it does not. */
export function Sparkline({ values }: { values: number[] }) {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (i: number) => (i * width) / Math.max(1, values.length - 1);
  const y = (value: number) => (high === low ? height / 2 : height - 1 - ((value - low) * (height - 2)) / (high - low));
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} className={classes.sparkline} aria-hidden>
      <polyline points={values.map((value, i) => `${x(i)},${y(value)}`).join(" ")} />
    </svg>
  );
}
