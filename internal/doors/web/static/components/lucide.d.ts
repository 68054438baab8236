// The modules of lucide's icons have no types of their own.

declare module "lucide/icons/*" {
  const shapes: ["path" | "rect" | "circle" | "line" | "polyline" | "polygon" | "ellipse", Record<string, string>][];
  export default shapes;
}
